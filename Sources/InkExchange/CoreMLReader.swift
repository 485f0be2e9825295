import Foundation
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Reads a Core ML neural network that ends with a softmax, of one answer or of one for each cell of a page.
///
/// The drawing and activity classifiers of Turi Create are such models.
struct CoreMLReader: ModelFileReader {
  let path: String

  private typealias Layer = CoreML_Specification_NeuralNetworkLayer

  func model(_ data: Data, _ options: ImportOptions) throws(ModelError) -> Model {
    let (graph, description) = try read(data)
    return try graph.model(description, options)
  }

  /// Returns the layers and what else is in the file.
  func read(_ data: Data) throws(ModelError) -> (LayerGraph, LayerGraph.Description) {
    let file = try decode(
      CoreML_Specification_Model.self, from: data, ProtobufFields.coreML, kind: "a Core ML model")
    let layers: [Layer]
    let preprocessing: [CoreML_Specification_NeuralNetworkPreprocessing]
    var labels: [String]?
    var answer = ""
    switch file.type {
    case .neuralNetworkClassifier(let network)?:
      (layers, preprocessing) = (network.layers, network.preprocessing)
      (labels, answer) = (self.labels(of: network), network.labelProbabilityLayerName)
    case .neuralNetwork(let network)?:
      (layers, preprocessing) = (network.layers, network.preprocessing)
    case nil:
      let kind = Self.firstField(of: file.unknownFields).flatMap { number in
        Self.modelKinds[number] ?? (number >= 200 ? "a model of kind \(number)" : nil)
      }
      throw mismatch("model", "a neural-network classifier", kind ?? "none")
    }
    let metadata = file.description_p.metadata
    var walk = try Walk(
      layers, file.description_p,
      stored: LayerGraph.architecture(in: metadata.userDefined, path: path), path: path)
    let (inputScale, shifts) = try scale(preprocessing, of: walk.images)
    try walk.addShifts(shifts)
    for (index, layer) in layers.enumerated() { try walk.add(layer, index) }
    guard walk.graph.isComplete, let last = walk.answer else {
      throw mismatch("network", "a softmax at the end", "none")
    }
    guard answer.isEmpty || answer == last else {
      throw mismatch("network", "`\(last)`, the last layer's output, as the answer", "`\(answer)`")
    }
    var about = ["author": metadata.author, "license": metadata.license]
    about["description"] = metadata.shortDescription
    return (
      walk.graph,
      .init(
        labels: labels, inputScale: inputScale,
        about: about.filter { !$0.value.isEmpty }, metadata: metadata.userDefined)
    )
  }

  private func labels(of network: CoreML_Specification_NeuralNetworkClassifier) -> [String]? {
    switch network.classLabels {
    case .stringClassLabels(let labels)?: labels.vector
    case .int64ClassLabels(let labels)?: labels.vector.map(String.init)
    case nil: nil
    }
  }

  /// Returns the factor for the grey values of all images, or `nil` if there are none, and what is added to
  /// those of each.
  private func scale(
    _ preprocessing: [CoreML_Specification_NeuralNetworkPreprocessing], of images: [String]
  ) throws(ModelError) -> (scale: Float?, shifts: [Float]) {
    var scales = [Float](repeating: 1, count: images.count)
    var shifts = [Float](repeating: 0, count: images.count)
    for step in preprocessing {
      let name = step.featureName
      guard let place = name.isEmpty ? images.indices.first : images.firstIndex(of: name) else {
        throw mismatch(
          "preprocessing", "one of \(images.map { "`\($0)`" }.joined(separator: ", "))", "`\(name)`"
        )
      }
      switch step.preprocessor {
      case .scaler(let scaler)?:
        // A file without a scale has 0.
        let scale = scaler.channelScale == 0 ? 1 : scaler.channelScale
        scales[place] *= scale
        shifts[place] = shifts[place] * scale + scaler.grayBias
        guard scales[place] > 0, scales[place].isFinite, shifts[place].isFinite else {
          throw mismatch(
            "preprocessing", "a scale above 0 and a bias", "\(scales[place]) and \(shifts[place])")
        }
      case .meanImage?: throw mismatch("preprocessing", "no mean image", "one")
      case nil: break
      }
    }
    guard Set(scales).count <= 1 else {
      throw mismatch("preprocessing", "one scale for all images", "\(scales)")
    }
    return (scales.first, shifts)
  }

  /// The content of an axis of a value.
  private enum Axis: String, CustomStringConvertible {
    case step, channel, row, column
    /// The steps from the last to the first.
    case reversedStep
    /// The steps of each channel, one channel after the other.
    case channelsOfSteps
    /// An axis of length 1.
    case one

    var description: String { rawValue }
  }

  /// A value of the file: one of the graph's, with its axes `[sequence, channel, height, width]`.
  private struct Value {
    var source: Architecture.Source
    var axes: [Axis]
    /// The means of windows of the planes, which are flattened next.
    var pooling: MeanPooling?
  }

  private static let seriesAxes: [Axis] = [.step, .channel, .one, .one]
  private static let reversedAxes: [Axis] = [.reversedStep, .channel, .one, .one]
  private static let vectorAxes: [Axis] = [.one, .channel, .one, .one]
  private static let planeAxes: [Axis] = [.one, .channel, .row, .column]
  /// The maximum length of a series, whose length Core ML files do not limit.
  private static let maxLength = 4096
  /// The sides of a page, as far as this package can have them.
  private static let pageSides = 4...4096

  /// A walk through the layers, in their order.
  private struct Walk: ModelFileReader {
    let path: String
    private let layers: [Layer]
    /// The layers that read each value.
    private let readers: [String: [Int]]
    private let isOwn: Bool
    private var values: [String: Value] = [:]
    /// The initial states, and the values that they are computed from.
    private let states: Set<String>
    /// The layers that compute constants, states, or outputs after the first one.
    private var stateLayers: [String: Int] = [:]
    /// The layers that are part of a layer which was added before.
    private var used: Set<Int> = []
    /// The names of the inputs that are images.
    private(set) var images: [String] = []
    /// The output of the softmax at the end.
    private(set) var answer: String?
    private(set) var graph: LayerGraph

    init(
      _ layers: [Layer], _ description: CoreML_Specification_ModelDescription,
      stored: Architecture?, path: String
    ) throws(ModelError) {
      self.path = path
      self.layers = layers
      isOwn = stored != nil
      var readers: [String: [Int]] = [:]
      for (index, layer) in layers.enumerated() {
        for name in Set(layer.input) { readers[name, default: []].append(index) }
      }
      self.readers = readers
      let states = Self.stateNames(layers)
      self.states = states
      let inputs = description.input.filter { !states.contains($0.name) }
      guard !inputs.isEmpty else {
        throw ModelError(path: path, field: "input", expected: "an input", found: "none")
      }
      var forms: [NetworkInput] = []
      let series = Self.channelInputs(inputs, layers)
      for (index, input) in inputs.enumerated() {
        if case .imageType = input.type.type { images.append(input.name) }
        if let stored {
          guard let place = stored.inputs.firstIndex(where: { $0.name == input.name }),
            CoreMLWriter.feature(stored.inputs[place], named: input.name).type == input.type
          else {
            throw ModelError(
              path: path, field: "input `\(input.name)`", expected: "an input of the metadata",
              found: "another")
          }
          let axes =
            switch stored.inputs[place].form {
            case .image, .page: CoreMLReader.planeAxes
            case .series: CoreMLReader.seriesAxes
            case .vector: CoreMLReader.vectorAxes
            }
          values[input.name] = Value(source: .input(place), axes: axes)
        } else if let length = series {
          forms.append(
            .init(name: input.name, form: .series(channels: 1, length: .fixed(length))))
          values[input.name] = Value(source: .input(index), axes: [.one, .step, .one, .one])
        } else {
          let (axes, form) = try Self.form(of: input, layers, readers, path: path)
          forms.append(.init(name: input.name, form: form))
          values[input.name] = Value(source: .input(index), axes: axes)
        }
      }
      graph = LayerGraph(inputs: stored?.inputs ?? forms, path: path)
    }

    /// Returns the values that are only states before the first step, or are computed from such.
    private static func stateNames(_ layers: [Layer]) -> Set<String> {
      var names: Set<String> = []
      for layer in layers.reversed() {
        switch layer.layer {
        case .gru?, .uniDirectionalLstm?, .biDirectionalLstm?:
          names.formUnion(layer.input.dropFirst())
        case .slice?, .concat?, .loadConstant?:
          if layer.output.contains(where: names.contains) { names.formUnion(layer.input) }
        default: break
        }
      }
      return names
    }

    /// Returns the length of the inputs if each is one channel of a series, as Create ML has them.
    private static func channelInputs(
      _ inputs: [CoreML_Specification_FeatureDescription], _ layers: [Layer]
    ) -> Int? {
      guard let concat = layers.first, case .concat? = concat.layer, concat.output.count == 1,
        concat.input == inputs.map(\.name),
        let next = layers.first(where: { $0.input == concat.output }),
        case .reshape(let reshape)? = next.layer,
        let length = inputs.first?.type.multiArrayType.shape,
        length.count == 1, (1...1 << 20).contains(length[0]),
        inputs.allSatisfy({ $0.type.multiArrayType.shape == length }),
        Array(reshape.targetShape.suffix(3)) == [Int64(inputs.count), 1, length[0]]
      else { return nil }
      return Int(length[0])
    }

    /// Returns the axes and the form of an input of another program.
    private static func form(
      of input: CoreML_Specification_FeatureDescription, _ layers: [Layer],
      _ readers: [String: [Int]], path: String
    ) throws(ModelError) -> ([Axis], NetworkInput.Form) {
      func mismatch(_ expected: String, _ found: String) -> ModelError {
        ModelError(
          path: path, field: "input `\(input.name)`", expected: expected, found: found)
      }
      let reader = readers[input.name]?.first.map { layers[$0] }
      switch input.type.type {
      case .imageType(let image)?:
        guard image.colorSpace == .grayscale else {
          throw mismatch("a grey picture", "\(image.colorSpace)")
        }
        guard image.width == image.height, (4...512).contains(image.width) else {
          throw mismatch(
            "as many rows as columns, 4 to 512", "\(image.width) × \(image.height)")
        }
        return (planeAxes, NetworkInput.picture(size: Int(image.width)).form)
      case .multiArrayType(let array)?:
        let shape = array.shape.map { Int(clamping: $0) }
        guard shape.allSatisfy({ (1...1 << 20).contains($0) }) else {
          throw mismatch("an array with lengths of 1 to 1048576", "\(shape)")
        }
        switch shape.count {
        case 3
        where array.shapeRange.sizeRanges.contains {
          $0.upperBound != Int64(clamping: $0.lowerBound)
        }:
          return (planeAxes, try page(array.shapeRange, mismatch))
        case 1:
          switch reader?.layer {
          case .gru?, .uniDirectionalLstm?, .biDirectionalLstm?, .permute?:
            guard shape[0] <= 4096 else { throw mismatch("at most 4096 channels", "\(shape[0])") }
            return (
              seriesAxes, .series(channels: shape[0], length: .variable(1...maxLength))
            )
          default: return (vectorAxes, .vector(count: shape[0]))
          }
        case 3:
          // Turi Create's activity classifiers: [1, steps, channels].
          if shape[0] == 1, case .permute(let permute)? = reader?.layer,
            permute.axis == [0, 3, 1, 2], shape[2] <= 4096
          {
            return (
              [.one, .one, .step, .channel],
              .series(channels: shape[2], length: .fixed(shape[1]))
            )
          }
          guard shape[0] <= 64, (4...512).contains(shape[1]), (4...1 << 14).contains(shape[2])
          else {
            throw mismatch("[channels, height, width] of a picture", "\(shape)")
          }
          return (
            planeAxes, .image(channels: shape[0], height: shape[1], width: .fixed(shape[2]))
          )
        default: throw mismatch("an array with 1 or 3 axes", "\(shape)")
        }
      default: throw mismatch("a picture or an array", "another kind")
      }
    }

    /// Returns the form of an array whose height and width vary; a bound below 0 is none.
    private static func page(
      _ range: CoreML_Specification_ArrayFeatureType.ShapeRange,
      _ mismatch: (_ expected: String, _ found: String) -> ModelError
    ) throws(ModelError) -> NetworkInput.Form {
      let bounds = range.sizeRanges.map { size in
        (
          Int(clamping: size.lowerBound),
          size.upperBound < 0 ? Int.max : Int(clamping: size.upperBound)
        )
      }
      guard bounds.count == 3, bounds[0] == (1, 1),
        bounds.dropFirst().allSatisfy({
          $0 <= $1 && $0 <= pageSides.upperBound && $1 >= pageSides.lowerBound
        })
      else {
        throw mismatch(
          "one channel of planes whose height and width vary",
          bounds.map { "\($0) to \($1)" }.joined(separator: ", "))
      }
      func sides(_ bounds: (Int, Int)) -> ClosedRange<Int> {
        (bounds.0...bounds.1).clamped(to: pageSides)
      }
      return .page(channels: 1, heights: sides(bounds[1]), widths: sides(bounds[2]))
    }

    /// Adds what the file adds to the grey values of each image.
    mutating func addShifts(_ shifts: [Float]) throws(ModelError) {
      for (name, shift) in zip(images, shifts) where shift != 0 {
        graph.current = values[name]!.source
        try graph.addInputScale(1, shift: shift, at: "preprocessing of `\(name)`")
        values[name]!.source = graph.current
      }
    }

    mutating func add(_ layer: Layer, _ index: Int) throws(ModelError) {
      guard !used.contains(index) else { return }
      let place = "layer `\(layer.name)`"
      guard let name = layer.output.first else { throw mismatch(place, "an output", "none") }
      for input in layer.input
      where values[input] == nil && stateLayers[input] == nil && !states.contains(input) {
        throw mismatch(place, "inputs that layers before it compute", "`\(input)`")
      }
      guard let first = layer.input.first, var value = values[first] else {
        // A state, or a constant.
        for output in layer.output { stateLayers[output] = index }
        return
      }
      for output in layer.output where values[output] != nil {
        throw mismatch(place, "an output of its own", "`\(output)`")
      }
      try checkWireTypes(layer, at: place)
      if value.pooling != nil {
        switch layer.layer {
        case .flatten?, .flattenTo2D?, .reshapeStatic?, .reshape?, .innerProduct?: break
        case .convolution?, .pooling?, .activation?, .batchnorm?, .softmax?, .softmaxNd?,
          .permute?, .concat?, .gru?, .uniDirectionalLstm?, .biDirectionalLstm?, .reverse?,
          .multiply?, .scale?, .reduce?, .loadConstant?, .slice?, .upsample?, nil:
          throw mismatch(
            place, "a flattening and an inner product after an average pooling", "another layer")
        }
      }
      graph.current = value.source
      try add(layer, &value, at: place)
      value.source = graph.current
      values[name] = value
      for output in layer.output.dropFirst() { stateLayers[output] = index }
      switch layer.layer {
      case .softmax?, .softmaxNd?: answer = name
      // A sigmoid of one logit is a softmax of two.
      case .activation? where graph.isComplete: answer = name
      default: break
      }
    }

    private mutating func add(
      _ layer: Layer, _ value: inout Value, at place: String
    ) throws(ModelError) {
      switch layer.layer {
      case .convolution(let convolution)?: try add(convolution, value, at: place)
      case .pooling(let pooling)?: try add(pooling, &value, at: place)
      case .activation(let activation)?:
        switch activation.nonlinearityType {
        case .reLu?: try graph.add(.relu, at: place)
        case .linear(let linear)?:
          guard linear.beta == 0 else { throw mismatch(place, "no shift", "\(linear.beta)") }
          try graph.addScale(Double(linear.alpha), at: place)
        case .tanh?: throw mismatch(place, "a ReLU activation", "tanh")
        case .sigmoid?: try graph.addSigmoid(at: place)
        case nil:
          let kind = CoreMLReader.firstField(of: activation.unknownFields).map {
            CoreMLReader.activationKinds[$0] ?? "kind \($0)"
          }
          throw mismatch(place, "a ReLU activation", kind ?? "none")
        }
      case .innerProduct(let product)?: try add(product, layer, &value, at: place)
      case .batchnorm(let normalization)?:
        try add(normalization, layer, &value, at: place)
      case .flatten(let flatten)?:
        try self.flatten(&value, channelsLast: flatten.mode == .channelLast, at: place)
      case .flattenTo2D(let flatten)?:
        guard flatten.axis == 1 else { throw mismatch(place, "axis 1", "\(flatten.axis)") }
        try self.flatten(&value, at: place)
      case .reshapeStatic(let reshape)?:
        // The shape of a vector for a batch of one drawing.
        guard reshape.targetShape.dropLast().allSatisfy({ $0 == 1 }) else {
          throw mismatch(place, "a flattening", "a shape of \(reshape.targetShape)")
        }
        try self.flatten(&value, at: place)
      case .reshape(let reshape)?:
        let shape = reshape.targetShape.suffix(3).map { Int(clamping: $0) }
        if value.axes == [.one, .channelsOfSteps, .one, .one], let series = graph.series,
          reshape.mode == .channelFirst, shape == [series.channels, 1, series.length]
        {
          value.axes = [.one, .channel, .one, .step]
          return
        }
        guard reshape.mode == .channelFirst, shape.count == 3, shape.dropFirst() == [1, 1] else {
          throw mismatch(place, "a flattening", "a shape of \(reshape.targetShape)")
        }
        try self.flatten(&value, at: place)
      case .softmax?:
        guard value.axes[1] == .channel else {
          throw mismatch(place, "a softmax over the channels", "one over \(value.axes[1])")
        }
        try graph.addSoftmax(at: place)
      case .softmaxNd(let softmax)?:
        guard softmax.axis == 1 || softmax.axis == -1 else {
          throw mismatch(place, "axis 1", "\(softmax.axis)")
        }
        try graph.addSoftmax(at: place)
      case .permute(let permute)?:
        let order = permute.axis.map { Int(clamping: $0) }
        guard order.sorted() == [0, 1, 2, 3] else {
          throw mismatch(place, "an order of 4 axes", "\(order)")
        }
        value.axes = order.map { value.axes[$0] }
      case .concat(let concat)?: try add(concat, layer, &value, at: place)
      case .upsample(let upsample)?: try add(upsample, value, at: place)
      case .slice(let slice)? where graph.planes != nil:
        try takeChannels(slice, layer, value, at: place)
      case .gru(let gru)?: try add(gru, layer, &value, at: place)
      case .uniDirectionalLstm(let lstm)?:
        guard !lstm.reverseInput else {
          throw mismatch(place, "a layer that reads forwards", "one that reads backwards")
        }
        try checkActivations(lstm.activations, count: 3, at: place)
        try addLSTM(
          .lstm(
            units: try count(lstm.outputVectorSize, "units", at: place),
            direction: direction(of: value)), lstm.params,
          [lstm.weightParams], layer, &value, at: place)
      case .biDirectionalLstm(let lstm)?:
        try checkActivations(lstm.activationsForwardLstm, count: 3, at: place)
        try checkActivations(lstm.activationsBackwardLstm, count: 3, at: place)
        guard lstm.weightParams.count == 2 else {
          throw mismatch(place, "weights of 2 directions", "\(lstm.weightParams.count)")
        }
        try addLSTM(
          .lstm(units: try count(lstm.outputVectorSize, "units", at: place), direction: .both),
          lstm.params, lstm.weightParams, layer, &value, at: place)
      case .reverse(let reverse)?:
        let axes = [CoreMLReader.seriesAxes, CoreMLReader.reversedAxes]
        guard reverse.reverseDim == CoreMLWriter.reversedSteps,
          let place = axes.firstIndex(of: value.axes)
        else { throw mismatch(place, "a reversal of a sequence", "another") }
        value.axes = axes[1 - place]
      case .multiply?, .scale?, .reduce?, .loadConstant?, .slice?:
        throw mismatch(
          place, "a layer of an attention, a layer normalisation or a state",
          "\(layer.name) on other values")
      case nil:
        let kind = CoreMLReader.firstField(of: layer.unknownFields).map {
          CoreMLReader.layerKinds[$0] ?? "a layer of kind \($0)"
        }
        throw mismatch(
          place,
          "a convolution, pooling, upsampling, activation, flatten, inner product, batch normalisation, GRU, "
            + "LSTM, concatenation, permutation, reversal or softmax",
          kind ?? "nothing")
      }
    }

    private mutating func add(
      _ convolution: CoreML_Specification_ConvolutionLayerParams, _ value: Value, at place: String
    ) throws(ModelError) {
      guard !convolution.isDeconvolution else {
        throw mismatch(place, "a convolution", "a deconvolution")
      }
      var window = LayerGraph.Window(
        kernel: try pair(convolution.kernelSize, or: 3, "kernel", at: place))
      window.stride = try pair(convolution.stride, or: 1, "stride", at: place)
      window.dilation = try pair(convolution.dilationFactor, or: 1, "dilation", at: place)
      window.groups =
        convolution.nGroups == 0 ? 1 : try count(convolution.nGroups, "groups", at: place)
      switch convolution.convolutionPaddingType {
      case .same?: window.edges = nil
      case .valid(let valid)?: window.edges = try edges(valid.paddingAmounts, at: place)
      case nil: break
      }
      let filters = try count(convolution.outputChannels, "filters", at: place)
      if convolution.kernelChannels != UInt64(graph.outputCount) {
        throw mismatch(place, "\(graph.outputCount) channels", "\(convolution.kernelChannels)")
      }
      let weight = try values(convolution.weights, at: place)
      let bias = convolution.hasBias_p ? try values(convolution.bias, at: place) : nil
      guard graph.series != nil else {
        guard value.axes == CoreMLReader.planeAxes else {
          throw mismatch(place, "[channels, height, width]", "\(value.axes)")
        }
        return try graph.addConvolution(
          filters: filters, window, weight: weight, bias: bias, at: place)
      }
      guard value.axes[1] == .channel, value.axes[0] == .one,
        let step = [2, 3].first(where: { value.axes[$0] == .step }), window.kernel[3 - step] == 1
      else { throw mismatch(place, "steps as rows or columns", "\(value.axes)") }
      let axis = step - 2
      var series = LayerGraph.SeriesWindow(kernel: window.kernel[axis])
      (series.stride, series.dilation) = (window.stride[axis], window.dilation[axis])
      series.groups = window.groups
      series.edges = window.edges.map { [$0[axis], $0[axis + 2]] }
      try graph.addSeriesConvolution(
        filters: filters, series, weight: weight, bias: bias, at: place)
    }

    private mutating func add(
      _ pooling: CoreML_Specification_PoolingLayerParams, _ value: inout Value, at place: String
    ) throws(ModelError) {
      if pooling.globalPooling, graph.series != nil, value.axes[1] == .channel,
        value.axes[0] == .one, pooling.type == .max || pooling.type == .average
      {
        try graph.add(.timePooling(pooling.type == .max ? .max : .mean), at: place)
        value.axes = CoreMLReader.vectorAxes
        return
      }
      let isMean = pooling.type == .average
      guard pooling.type == .max && !pooling.globalPooling || isMean && graph.planes != nil else {
        throw mismatch(
          place, "max-pooling or average pooling of planes",
          pooling.globalPooling ? "global pooling" : "\(pooling.type) pooling")
      }
      guard graph.planes == nil || value.axes == CoreMLReader.planeAxes else {
        throw mismatch(place, "[channels, height, width]", "\(value.axes)")
      }
      if isMean, pooling.globalPooling, let planes = graph.planes {
        let kernel = [planes.height, planes.width]
        value.pooling = try graph.meanPooling(kernel: kernel, stride: kernel, at: place)
        return
      }
      let kernel = try pair(pooling.kernelSize, or: 3, "window", at: place)
      let stride = try pair(pooling.stride, or: 1, "stride", at: place)
      if isMean {
        var (edges, roundsUp) = ([0, 0, 0, 0], false)
        switch pooling.poolingPaddingType {
        case .valid(let valid)?: edges = try self.edges(valid.paddingAmounts, at: place)
        case .includeLastPixel(let complete)?:
          (edges, roundsUp) = (try numbers(complete.paddingAmounts, at: place), true)
        case .same?: roundsUp = true
        case nil: break
        }
        if case .same? = pooling.poolingPaddingType, stride != kernel {
          throw mismatch(place, "windows side by side, or padding as numbers", "same padding")
        }
        // Without padding, it does not matter whether the zeros count.
        guard edges.allSatisfy({ $0 == 0 }) else {
          throw mismatch(place, "an average pooling without padding", "\(edges)")
        }
        value.pooling = try graph.meanPooling(
          kernel: kernel, stride: stride, roundsUp: roundsUp, at: place)
        return
      }
      switch pooling.poolingPaddingType {
      case .valid(let valid)?:
        try graph.addMaxPooling(
          kernel: kernel, stride: stride, edges: edges(valid.paddingAmounts, at: place), at: place)
      case .includeLastPixel(let complete)?:
        try graph.addMaxPooling(
          kernel: kernel, stride: stride, edges: numbers(complete.paddingAmounts, at: place),
          roundsUp: true, at: place)
      case .same?:
        try graph.addMaxPooling(kernel: kernel, stride: stride, roundsUp: true, at: place)
      case nil: try graph.addMaxPooling(kernel: kernel, stride: stride, at: place)
      }
    }

    private mutating func add(
      _ product: CoreML_Specification_InnerProductLayerParams, _ layer: Layer,
      _ value: inout Value, at place: String
    ) throws(ModelError) {
      let units = try count(product.outputChannels, "units", at: place)
      let weight = try values(product.weights, at: place)
      if let series = graph.series {
        if units == 1, !product.hasBias_p, let last = attention(from: layer) {
          try graph.addAttention(weight: weight, at: place)
          values[layers[last].output[0]] = Value(
            source: graph.current, axes: CoreMLReader.vectorAxes)
          value.axes = CoreMLReader.vectorAxes
          return
        }
        if series.length == 1, !isOwn {
          // One step is a vector.
          try graph.addFlatten(at: place)
          value.axes = CoreMLReader.vectorAxes
        } else {
          try useSequence(&value, at: place)
        }
      } else {
        // Core ML accepts planes of 1 × 1 as the input of an inner product.
        try flatten(&value, at: place)
      }
      try graph.addDense(
        units: units, weight: weight,
        bias: product.hasBias_p ? values(product.bias, at: place) : nil, at: place)
    }

    private mutating func add(
      _ normalization: CoreML_Specification_BatchnormLayerParams, _ layer: Layer,
      _ value: inout Value, at place: String
    ) throws(ModelError) {
      if normalization.computeMeanVar, normalization.instanceNormalization,
        let (permute, scale) = layerNormalization(from: layer, value)
      {
        guard try values(normalization.gamma, at: place) == [1],
          try values(normalization.beta, at: place) == [0],
          case .scale(let parameters)? = layers[scale].layer
        else { throw mismatch(place, "a normalisation without scale and shift", "another") }
        try graph.addLayerNormalization(
          scale: values(parameters.scale, at: place),
          shift: parameters.hasBias_p ? values(parameters.bias, at: place) : nil,
          epsilon: normalization.epsilon, at: place)
        used.formUnion([permute, scale])
        let axes = [0, 3, 2, 1].map { value.axes[$0] }
        values[layers[scale].output[0]] = Value(source: graph.current, axes: axes)
        return
      }
      guard !normalization.computeMeanVar, !normalization.instanceNormalization else {
        throw mismatch(
          place, "stored statistics", "a normalisation with the statistics of each picture")
      }
      guard value.axes[1] == .channel else {
        throw mismatch(place, "channels as the second axis", "\(value.axes)")
      }
      try graph.addBatchNormalization(
        scale: normalization.hasGamma ? values(normalization.gamma, at: place) : nil,
        shift: normalization.hasBeta ? values(normalization.beta, at: place) : nil,
        mean: values(normalization.mean, at: place),
        variance: values(normalization.variance, at: place),
        epsilon: normalization.epsilon == 0 ? 1e-5 : normalization.epsilon, at: place)
    }

    private mutating func add(
      _ concat: CoreML_Specification_ConcatLayerParams, _ layer: Layer, _ value: inout Value,
      at place: String
    ) throws(ModelError) {
      guard !concat.sequenceConcat else {
        throw mismatch(place, "a concatenation of channels", "one of sequences")
      }
      var sources: [Architecture.Source] = []
      for name in layer.input {
        guard let part = values[name], part.axes == value.axes else {
          throw mismatch(place, "values with the same axes", "`\(name)`")
        }
        sources.append(part.source)
      }
      if value.axes == [.one, .step, .one, .one] {
        value.axes = [.one, .channelsOfSteps, .one, .one]
      } else {
        guard value.axes[1] == .channel else {
          throw mismatch(place, "channels of vectors, planes or series", "\(value.axes)")
        }
      }
      guard sources.count > 1, !joinsDirections(layer, sources) else { return }
      try graph.add(.concatenation, from: sources, at: place)
    }

    /// Adds an upsampling by 2 that repeats values.
    private mutating func add(
      _ upsample: CoreML_Specification_UpsampleLayerParams, _ value: Value, at place: String
    ) throws(ModelError) {
      guard value.axes == CoreMLReader.planeAxes else {
        throw mismatch(place, "[channels, height, width]", "\(value.axes)")
      }
      let factors =
        upsample.fractionalScalingFactor.isEmpty
        ? upsample.scalingFactor.map(Float.init) : upsample.fractionalScalingFactor
      guard upsample.mode == .nn, factors == [2, 2] else {
        throw mismatch(
          place, "nearest values and factors of 2 and 2",
          "\(upsample.mode == .nn ? "nearest" : "other") values and \(factors)")
      }
      try graph.add(.upsampling, at: place)
    }

    /// Takes the first channels of the last planes as the classes of cells, or the others as their fields,
    /// which are an output.
    private mutating func takeChannels(
      _ slice: CoreML_Specification_SliceLayerParams, _ layer: Layer, _ value: Value,
      at place: String
    ) throws(ModelError) {
      guard value.axes == CoreMLReader.planeAxes, slice.axis == .channelAxis, slice.stride == 1,
        let name = layer.output.first
      else { throw mismatch(place, "some channels of planes", "others") }
      let (start, end) = (Int(clamping: slice.startIndex), Int(clamping: slice.endIndex))
      if start > 0, readers[name] == nil {
        guard graph.areCellFields(from: start, to: end) else {
          throw mismatch(
            place, "all channels after those of the classes, which come first",
            "channels \(start) to \(end)")
        }
      } else {
        guard start == 0 else {
          throw mismatch(place, "the first channels as classes", "channels from \(start)")
        }
        try graph.setCellClasses(end, at: place)
      }
    }

    /// Whether a concatenation is that of the two directions of a GRU, which is then one layer.
    private mutating func joinsDirections(
      _ layer: Layer, _ sources: [Architecture.Source]
    ) -> Bool {
      // What the directions compute is read here only.
      guard layer.input.count == 2, layer.input.allSatisfy({ readers[$0]?.count == 1 }),
        let last = layers.first(where: { $0.output == [layer.input[1]] }),
        case .reverse? = last.layer, readers[last.input[0]]?.count == 1
      else { return false }
      return graph.joinDirections(sources)
    }

    // MARK: Recurrent layers

    /// The direction in which a layer reads a series that may be reversed.
    private func direction(of value: Value) -> Direction {
      value.axes == CoreMLReader.reversedAxes ? .backward : .forward
    }

    /// Makes the steps the sequence; one step is a sequence of its own.
    private func useSequence(
      _ value: inout Value, mayBeReversed: Bool = false, at place: String
    ) throws(ModelError) {
      if mayBeReversed, value.axes == CoreMLReader.reversedAxes { return }
      if graph.series?.length == 1, value.axes[1] == .channel {
        value.axes = CoreMLReader.seriesAxes
      }
      guard value.axes == CoreMLReader.seriesAxes else {
        throw mismatch(place, "steps as the sequence", "\(value.axes)")
      }
    }

    private func checkActivations(
      _ activations: [CoreML_Specification_ActivationParams], count: Int, at place: String
    ) throws(ModelError) {
      let areUsual = activations.enumerated().allSatisfy { index, activation in
        switch activation.nonlinearityType {
        case .sigmoid?: index == 0
        case .tanh?: index > 0
        case .reLu?, .linear?, nil: false
        }
      }
      guard activations.count == count, areUsual else {
        throw mismatch(place, "sigmoid for gates and tanh for the rest", "other activations")
      }
    }

    private func checkOutput(_ isSequence: Bool, at place: String) throws(ModelError) {
      guard isSequence || graph.series?.length == 1 else {
        throw mismatch(
          place, "the outputs of all steps, which can be pooled over time", "the last one")
      }
    }

    private mutating func addLSTM(
      _ layer: InkNetwork.Layer, _ parameters: CoreML_Specification_LSTMParams,
      _ weights: [CoreML_Specification_LSTMWeightParams], _ file: Layer, _ value: inout Value,
      at place: String
    ) throws(ModelError) {
      try useSequence(&value, mayBeReversed: weights.count == 1, at: place)
      try checkOutput(parameters.sequenceOutput, at: place)
      guard !parameters.hasPeepholeVectors_p, !parameters.coupledInputAndForgetGate else {
        throw mismatch(place, "no peepholes and no coupled gates", "peepholes or coupled gates")
      }
      guard parameters.cellClipThreshold >= 10_000 else {
        throw mismatch(
          place, "cells that are not limited, so a threshold of 10000 or more",
          "\(parameters.cellClipThreshold)")
      }
      for name in file.input.dropFirst() { try checkState(name, at: place) }
      guard case .lstm(let lstm) = layer else { preconditionFailure("an LSTM has this layer") }
      let units = lstm.units
      guard units <= 4096 else { throw mismatch(place, "1 to 4096 units", "\(units)") }
      let sides = try weights.map { side throws(ModelError) in
        let inputs = [
          side.inputGateWeightMatrix, side.forgetGateWeightMatrix, side.blockInputWeightMatrix,
          side.outputGateWeightMatrix,
        ]
        let recursions = [
          side.inputGateRecursionMatrix, side.forgetGateRecursionMatrix,
          side.blockInputRecursionMatrix, side.outputGateRecursionMatrix,
        ]
        let biases = [
          side.inputGateBiasVector, side.forgetGateBiasVector, side.blockInputBiasVector,
          side.outputGateBiasVector,
        ]
        var bias =
          parameters.hasBiasVectors_p
          ? try gates(biases, at: place) : [Float](repeating: 0, count: 4 * units)
        guard bias.count == 4 * units else {
          throw mismatch(place, "\(4 * units) biases", "\(bias.count)")
        }
        if parameters.forgetBias {
          for unit in units..<2 * units { bias[unit] += 1 }
        }
        return [
          try gates(inputs, at: place), try gates(recursions, at: place), bias,
          [Float](repeating: 0, count: 4 * units),
        ]
      }
      try graph.addRecurrent(layer, units: units, sides, at: place)
    }

    /// Returns the values of all gates, one after the other.
    private func gates(
      _ weights: [CoreML_Specification_WeightParams], at place: String
    ) throws(ModelError) -> [Float] {
      var result: [Float] = []
      for weight in weights { result += try values(weight, at: place) }
      return result
    }

    private mutating func add(
      _ gru: CoreML_Specification_GRULayerParams, _ layer: Layer, _ value: inout Value,
      at place: String
    ) throws(ModelError) {
      try useSequence(&value, mayBeReversed: true, at: place)
      let direction = direction(of: value)
      guard !gru.reverseInput else {
        throw mismatch(place, "a layer that reads forwards", "one that reads backwards")
      }
      try checkActivations(gru.activations, count: 2, at: place)
      try checkOutput(gru.sequenceOutput, at: place)
      let size = try count(gru.outputVectorSize, "units", at: place)
      let inputs = graph.outputCount
      guard size <= 4096 else { throw mismatch(place, "1 to 4096 units", "\(size)") }
      let weight = try gates(
        [gru.resetGateWeightMatrix, gru.updateGateWeightMatrix, gru.outputGateWeightMatrix],
        at: place)
      let recursion = try gates(
        [
          gru.resetGateRecursionMatrix, gru.updateGateRecursionMatrix,
          gru.outputGateRecursionMatrix,
        ], at: place)
      let bias =
        gru.hasBiasVectors_p
        ? try gates(
          [gru.resetGateBiasVector, gru.updateGateBiasVector, gru.outputGateBiasVector], at: place)
        : [Float](repeating: 0, count: 3 * size)
      guard weight.count == 3 * size * inputs, recursion.count == 3 * size * size,
        bias.count == 3 * size
      else {
        throw mismatch(
          place, "\(3 * size * inputs) + \(3 * size * size) weights and \(3 * size) biases",
          "\(weight.count) + \(recursion.count) and \(bias.count)")
      }
      guard layer.input.count > 1, try hasConstantUnit(layer.input[1], size, at: place) else {
        for name in layer.input.dropFirst() { try checkState(name, at: place) }
        let arrays = [weight, recursion, bias, [Float](repeating: 0, count: 3 * size)]
        return try graph.addRecurrent(
          .gru(units: size, direction: direction), units: size, [arrays], at: place)
      }
      // The last unit is always 1; the products with it are the biases of the state.
      let units = size - 1
      let isKept =
        bias[2 * size - 1] >= 50
        && weight[(2 * size - 1) * inputs..<2 * size * inputs].allSatisfy { $0 == 0 }
        && recursion[(2 * size - 1) * size..<2 * size * size].allSatisfy { $0 == 0 }
      guard isKept, let reader = readers[layer.output[0]], reader.count == 1,
        case .slice(let slice)? = layers[reader[0]].layer, slice.axis == .channelAxis,
        slice.startIndex == 0, slice.endIndex == Int64(units), slice.stride == 1
      else { throw mismatch(place, "a first state of zeros, or a unit that stays 1", "others") }
      var arrays: [[Float]] = [[], [], [], []]
      for gate in 0..<3 {
        for unit in gate * size..<gate * size + units {
          arrays[0] += weight[unit * inputs..<(unit + 1) * inputs]
          arrays[1] += recursion[unit * size..<unit * size + units]
          arrays[2].append(bias[unit])
          arrays[3].append(recursion[unit * size + units])
        }
      }
      try graph.addRecurrent(
        .gru(units: units, direction: direction), units: units, [arrays], at: place)
      used.insert(reader[0])
      values[layers[reader[0]].output[0]] = Value(source: graph.current, axes: value.axes)
    }

    /// Whether an initial state of `size` units is 1 in the last one, and 0 or an input in the others.
    private func hasConstantUnit(
      _ name: String, _ size: Int, at place: String
    ) throws(ModelError) -> Bool {
      guard var index = stateLayers[name] else { return false }
      var count = size
      if case .concat? = layers[index].layer, let last = layers[index].input.last,
        let constant = stateLayers[last]
      {
        (index, count) = (constant, 1)
      }
      guard case .loadConstant(let constant)? = layers[index].layer else { return false }
      let values = try values(constant.data, at: place)
      return size > 1 && values == [Float](repeating: 0, count: count - 1) + [1]
    }

    /// Checks that an initial state is an input, or zeros.
    private func checkState(_ name: String, at place: String) throws(ModelError) {
      guard let index = stateLayers[name],
        case .loadConstant(let constant)? = layers[index].layer
      else { return }
      guard try values(constant.data, at: place).allSatisfy({ $0 == 0 }) else {
        throw mismatch(
          place, "a first state of zeros, or one that is an input of the file", "`\(name)`")
      }
    }

    // MARK: Layers of several

    /// Returns the only layer that reads a value.
    private func reader(of name: String) -> Int? {
      guard let found = readers[name], found.count == 1, layers[found[0]].output.count == 1 else {
        return nil
      }
      return found[0]
    }

    /// Returns the last layer of the attention that begins with the scores of `layer`, if it is one.
    private mutating func attention(from layer: Layer) -> Int? {
      guard layer.output.count == 1, let permute = reader(of: layer.output[0]),
        case .permute(let order)? = layers[permute].layer,
        order.axis == CoreMLWriter.stepsAsChannels,
        let softmax = reader(of: layers[permute].output[0]), case .softmax? = layers[softmax].layer,
        let product = reader(of: layers[softmax].output[0]),
        case .multiply? = layers[product].layer, layers[product].input.count == 2,
        let other = layers[product].input.first(where: { $0 != layers[softmax].output[0] }),
        let turned = layers.firstIndex(where: { $0.output == [other] }),
        case .permute(let turn)? = layers[turned].layer, turn.axis == CoreMLWriter.stepsAsChannels,
        layers[turned].input == layer.input, reader(of: other) == product,
        let sum = reader(of: layers[product].output[0]),
        case .reduce(let reduce)? = layers[sum].layer,
        reduce.mode == .sum, reduce.axis == .c, let last = reader(of: layers[sum].output[0]),
        case .permute(let back)? = layers[last].layer, back.axis == CoreMLWriter.channelsAsColumns
      else { return nil }
      used.formUnion([permute, softmax, product, turned, sum, last])
      return last
    }

    /// Returns the permutation and the scale after the normalisation `layer` of each step, if they follow.
    private func layerNormalization(from layer: Layer, _ value: Value) -> (Int, Int)? {
      guard value.axes[3] == .channel, value.axes[1] == .one, value.axes[2] == .one,
        layer.output.count == 1, let permute = reader(of: layer.output[0]),
        case .permute(let order)? = layers[permute].layer,
        order.axis == CoreMLWriter.channelsAsColumns,
        let scale = reader(of: layers[permute].output[0]),
        case .scale(let parameters)? = layers[scale].layer,
        parameters.shapeScale == [UInt64(graph.outputCount)],
        !parameters.hasBias_p || parameters.shapeBias == parameters.shapeScale
      else { return nil }
      return (permute, scale)
    }

    private mutating func flatten(
      _ value: inout Value, channelsLast: Bool = false, at place: String
    ) throws(ModelError) {
      switch value.axes {
      case CoreMLReader.planeAxes:
        try graph.addFlatten(exchanged: channelsLast, pooling: value.pooling, at: place)
        value.pooling = nil
      case CoreMLReader.vectorAxes: return
      case [.column, .channel, .row, .one] where !channelsLast:
        try graph.add(.columns, at: place)
        value.axes = CoreMLReader.seriesAxes
        return
      case CoreMLReader.seriesAxes: return
      case [.one, .step, .one, .channel] where !channelsLast: try graph.addFlatten(at: place)
      case [.one, .channel, .one, .step] where !channelsLast:
        try graph.addFlatten(exchanged: true, at: place)
      default: throw mismatch(place, "a picture, a vector or a series", "\(value.axes)")
      }
      value.axes = CoreMLReader.vectorAxes
    }

    /// Throws if a known field has the wrong wire type; the decoder would treat it as absent.
    private func checkWireTypes(_ layer: Layer, at place: String) throws(ModelError) {
      let unknown: UnknownStorage
      let known: Set<Int>
      switch layer.layer {
      case .convolution(let convolution)?:
        (unknown, known) = (
          convolution.unknownFields, [1, 2, 10, 20, 30, 40, 50, 51, 60, 70, 90, 91]
        )
      case .pooling(let pooling)?:
        (unknown, known) = (pooling.unknownFields, [1, 10, 20, 30, 31, 32, 60])
      case .innerProduct(let product)?:
        (unknown, known) = (product.unknownFields, [1, 2, 10, 20, 21])
      case .batchnorm(let normalization)?:
        (unknown, known) = (normalization.unknownFields, [1, 5, 6, 10, 15, 16, 17, 18])
      case .flatten(let flatten)?: (unknown, known) = (flatten.unknownFields, [1])
      case .flattenTo2D(let flatten)?: (unknown, known) = (flatten.unknownFields, [1])
      case .reshapeStatic(let reshape)?: (unknown, known) = (reshape.unknownFields, [1])
      case .activation(let activation)?:
        (unknown, known) = (activation.linear.unknownFields, [1, 2])
      case .gru(let gru)?:
        (unknown, known) = (
          gru.unknownFields, [1, 2, 10, 15, 20, 30, 31, 32, 50, 51, 52, 70, 71, 72, 100]
        )
      case .uniDirectionalLstm(let lstm)?:
        (unknown, known) = (lstm.unknownFields, [1, 2, 10, 15, 20, 100])
      case .biDirectionalLstm(let lstm)?:
        (unknown, known) = (lstm.unknownFields, [1, 2, 10, 11, 15, 20])
      case .scale(let scale)?: (unknown, known) = (scale.unknownFields, [1, 2, 3, 4, 5])
      case .reduce(let reduce)?: (unknown, known) = (reduce.unknownFields, [1, 2, 3])
      case .concat(let concat)?: (unknown, known) = (concat.unknownFields, [100])
      case .slice(let slice)?: (unknown, known) = (slice.unknownFields, [1, 2, 3, 4])
      case .permute(let permute)?: (unknown, known) = (permute.unknownFields, [1])
      case .reverse(let reverse)?: (unknown, known) = (reverse.unknownFields, [1])
      case .reshape(let reshape)?: (unknown, known) = (reshape.unknownFields, [1, 2])
      case .loadConstant(let constant)?: (unknown, known) = (constant.unknownFields, [1, 2])
      case .upsample(let upsample)?: (unknown, known) = (upsample.unknownFields, [1, 5, 7])
      case .multiply?, .softmax?, .softmaxNd?, nil: return
      }
      if let number = ProtobufFields.numbers(in: unknown.data).first(where: known.contains) {
        throw mismatch(place, "field \(number) with its own wire type", "another wire type")
      }
    }

    // MARK: Values

    private func count(_ value: UInt64, _ name: String, at place: String) throws(ModelError) -> Int
    {
      guard (1...65_536).contains(value) else {
        throw mismatch(place, "1 to 65536 \(name)", "\(value)")
      }
      return Int(value)
    }

    private func numbers(_ values: [UInt64], at place: String) throws(ModelError) -> [Int] {
      guard values.allSatisfy({ $0 <= 65_536 }) else {
        throw mismatch(place, "sizes of up to 65536", "\(values.max() ?? 0)")
      }
      return values.map(Int.init)
    }

    /// Returns height and width; without values, both are `standard`.
    private func pair(
      _ values: [UInt64], or standard: Int, _ name: String, at place: String
    ) throws(ModelError) -> [Int] {
      guard !values.isEmpty else { return [standard, standard] }
      guard values.count == 2 else {
        throw mismatch(place, "two sizes of a \(name)", "\(values.count)")
      }
      return try numbers(values, at: place)
    }

    /// Returns the padding above, left, below and right.
    private func edges(
      _ amounts: CoreML_Specification_BorderAmounts, at place: String
    ) throws(ModelError) -> [Int] {
      guard !amounts.borderAmounts.isEmpty else { return [0, 0, 0, 0] }
      guard amounts.borderAmounts.count == 2 else {
        throw mismatch(place, "two pairs of edges", "\(amounts.borderAmounts.count)")
      }
      return try numbers(
        amounts.borderAmounts.map(\.startEdgeSize) + amounts.borderAmounts.map(\.endEdgeSize),
        at: place)
    }

    private func values(
      _ weights: CoreML_Specification_WeightParams, at place: String
    ) throws(ModelError) -> [Float] {
      guard weights.unknownFields.data.isEmpty else {
        throw mismatch(place, "weights of 16 or 32 bits", "quantised ones")
      }
      guard !weights.float16Value.isEmpty else { return weights.floatValue }
      return weights.float16Value.floats(width: 2)
    }
  }

  /// Returns the number of the first field that is not in this package's subset of Core ML.
  fileprivate static func firstField(of unknown: UnknownStorage) -> Int? {
    ProtobufFields.numbers(in: unknown.data).first
  }

  private static let modelKinds = [
    200: "a pipeline of classifiers", 202: "a pipeline", 303: "a neural-network regressor",
    400: "a linear classifier", 402: "a tree ensemble", 404: "a nearest-neighbour classifier",
    502: "an ML program", 555: "a custom model",
  ]
  fileprivate static let activationKinds = [
    15: "leaky ReLU", 20: "thresholded ReLU", 25: "parametric ReLU", 31: "scaled tanh",
    41: "hard sigmoid", 50: "ELU", 60: "softsign", 70: "softplus",
    71: "parametric softplus",
  ]
  fileprivate static let layerKinds = [
    150: "embedding", 165: "mean and variance normalisation", 170: "L2 normalisation",
    180: "local response normalisation", 190: "crop", 200: "padding", 210: "upsampling",
    211: "bilinear resizing", 220: "a unary function", 230: "addition",
    240: "average", 250: "bias", 260: "maximum", 261: "minimum", 270: "dot product",

    330: "split", 340: "repetition of sequences", 345: "reorganisation of data",
    400: "a simple recurrent layer",
    500: "a custom layer", 985: "transpose", 1045: "batched matrix product",
    1150: "rank-preserving reshape",
  ]
}
