import Testing

@testable import InkTracing
