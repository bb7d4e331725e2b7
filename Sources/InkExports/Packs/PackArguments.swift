package import InkDocuments

/// What is to be made of packs.
package struct PackArguments: Sendable {
    package var paths: [String]
    /// The folder of the archives; nil: beside each pack.
    package var output: String?
    /// Names or paths of recipes in place of those that the packs name.
    package var targets: [String] = []
    /// In place of what targets and recipes say.
    package var bundling: PackTarget.Bundling?
    /// Ids of the items that are taken, `*` for any characters; empty: all.
    package var items: [String] = []
    /// Values over those of packs and targets: names and texts.
    package var values: [(name: String, text: String)] = []
    /// Whether the files of a bundle are written into a folder of its name.
    package var writesFolders = false
    /// Whether the release of a bundle that has changed is raised.
    package var bumps = false
    package var ifExists = ExistingFilePolicy.overwrite
    package var limitsPath: String?
    package var run: RunArguments

    package init(paths: [String], output: String?, run: RunArguments) {
        self.paths = paths
        self.output = output
        self.run = run
    }
}
