import Foundation
import InkDatasets
import InkRaster
import SafeFiles
import TestSupport
import Testing

@testable import InkPrint

/// The printed lines of `dataset print`.
@Suite struct LinePrinterTests {
}
