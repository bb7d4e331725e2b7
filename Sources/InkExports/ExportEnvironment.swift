import InkCodecs
package import InkDocuments
package import InkEngine

/// How the projects of a run are read.
package struct ReadingChoices: Hashable, Sendable {
    /// Where presets are looked up first.
    package var presetFolders: [String]
    package var limits: Limits
    /// What happens to the text of projects.
    package var textUse = TextUse.none
    /// Whether the picture that a document holds beside its layers is taken in their place.
    package var takesMerged = false
    /// For strokes of documents of other programs.
    package var brush = BrushChange()
    /// The paper that pages are for.
    package var paper = PaperChoice()

    package init(
        presetFolders: [String] = [], limits: Limits, textUse: TextUse = .none, takesMerged: Bool = false,
        brush: BrushChange = BrushChange(), paper: PaperChoice = PaperChoice()
    ) {
        self.presetFolders = presetFolders
        self.limits = limits
        self.textUse = textUse
        self.takesMerged = takesMerged
        self.brush = brush
        self.paper = paper
    }
}

/// Makes a farm with so many render threads, which keeps results of tiles where that is asked for.
package typealias FarmMaker =
    @Sendable (_ workers: Int, _ limits: Limits, _ cache: CacheArguments?) -> any ExportFarm

/// What exports need from the outside; tests replace it.
package struct ExportEnvironment: Sendable {
    /// What reads projects in a run.
    package var makeOpener: @Sendable (_ choices: ReadingChoices) -> any ProjectOpener
    /// A farm with so many render threads.
    package var makeFarm: FarmMaker
    /// The digest stored in a complete picture at this path; nil if there is none.
    package var storedDigest: @Sendable (String) -> [UInt8]?
    package var sha256: @Sendable ([UInt8]) -> [UInt8]

    package init(
        makeOpener: @escaping @Sendable (_ choices: ReadingChoices) -> any ProjectOpener,
        makeFarm: @escaping FarmMaker,
        storedDigest: @escaping @Sendable (String) -> [UInt8]?, sha256: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.makeOpener = makeOpener
        self.makeFarm = makeFarm
        self.storedDigest = storedDigest
        self.sha256 = sha256
    }

    /// The process's own disk and farm.
    package static let process = ExportEnvironment(
        makeOpener: { LoadingOpener($0) },
        makeFarm: { EmbeddedFarm(workerCount: $0, limits: $1, cache: $2) },
        // A picture that cannot be read is not known to be up to date, and is made again.
        storedDigest: { path in (try? PictureCodecs.codec(ofFile: path)?.storedDigest(path: path))?.bytes },
        sha256: { SHA256.digest($0) })
}
