import ArgumentParser

/// The group of commands for data sets.
struct DatasetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dataset",
    abstract: "Import, describe, show, divide, compose and draw data sets.",
    discussion: """
      Example: inkstate dataset describe datasets/synthetic.ndjson
      """,
    subcommands: [
      DatasetImport.self, DatasetRender.self, DatasetSplit.self, DatasetDescribe.self,
      DatasetPreview.self, DatasetCompose.self, DatasetPhotograph.self, DatasetCut.self,
      DatasetPrint.self, DatasetSynthesize.self,
    ])
}
