// swift-format-ignore-file
// What the snippets of the documentation use of UIKit, so that `scripts/check snippets` can check them
// on Linux. The declarations are those of Apple's documentation; nothing works.

@_exported import Foundation

@MainActor open class UIView {
  public init() {}

  public func addSubview(_ view: UIView) {}
}

@MainActor open class UIScrollView: UIView {
  public var zoomScale: CGFloat = 1
}

@MainActor open class UIViewController {
  public var view: UIView! = UIView()

  public init(nibName: String?, bundle: Bundle?) {}

  public required init?(coder: NSCoder) {}

  open func viewDidLoad() {}
}
