/// A layer with what inference makes of it.
///
/// A layer that says nothing about its neighbours is computed by itself, from one place in memory to another.
protocol InferableLayer: LayerDefinition {
  /// Adds the steps of node `index`; returns the layout that its value is in.
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int

  /// What a product right before it can do in the same pass, or `nil` if the layer has steps of its own.
  var epilogue: Epilogue.Part? { get }
  /// Whether its value lies where its input does.
  var isInPlace: Bool { get }
  /// Whether a batch normalisation that reads it can become part of its weights, `[outputs, …]`, and bias.
  var takesNormalization: Bool { get }
  /// What it reads of planes, if it wants zeros around them.
  func extent(reading shape: Shape) -> PlaneConvolution.Extent?
}

extension InferableLayer {
  var epilogue: Epilogue.Part? { nil }
  var isInPlace: Bool { false }
  var takesNormalization: Bool { false }
  func extent(reading shape: Shape) -> PlaneConvolution.Extent? { nil }
}
