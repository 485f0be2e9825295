import InkNetwork
import InkRecognizer

extension PageRecognizer {
  /// Makes a recogniser with the model `page` that comes with this package, in the resources of the module
  /// `InkDiagram`: it tells rings, lines, heads and writing apart.
  ///
  /// - Throws: `ModelError` if the file is missing, with the folders where it was looked for, or damaged.
  public static func released() throws(ModelError) -> PageRecognizer {
    let resources = ModuleResources(module: "InkDiagram")
    return try PageRecognizer(modelPath: resources.path(of: "page.safetensors"))
  }
}
