import ArgumentParser

/// Everything about data sets.
struct DatasetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dataset",
    abstract: "Import, draw, divide, describe, look at and invent data sets.",
    discussion: """
      Example: inkstate dataset describe datasets/synthetic.ndjson
      """,
    subcommands: [
      DatasetImport.self, DatasetRender.self, DatasetSplit.self, DatasetDescribe.self,
      DatasetPreview.self, DatasetCompose.self, DatasetSynthesize.self,
    ])
}
