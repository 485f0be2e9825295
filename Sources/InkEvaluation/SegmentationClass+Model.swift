import InkDatasets
import InkImageIO
import InkRecognizer

extension SegmentationClass {
  /// The key of the classes' colours in a model's provenance: `#ffffff #d62728 …`.
  package static let colorsKey = "class_colors"

  /// The classes of a model that answers for each cell, in the colours of its training.
  public static func classes(of model: Model) -> [SegmentationClass] {
    let colors = (model.provenance[colorsKey] ?? "").split(separator: " ").map {
      text -> ColorPicture.Color? in
      guard text.count == 7, text.hasPrefix("#"), let value = UInt32(text.dropFirst(), radix: 16)
      else { return nil }
      return ColorPicture.Color(
        UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
    }
    return model.labels.enumerated().map { index, name in
      let own = index < colors.count ? colors[index] : nil
      return SegmentationClass(name: name, color: own ?? usualColor(index))
    }
  }
}
