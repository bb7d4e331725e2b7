import InkBroker
package import InkCodecs
package import InkDocuments
import InkEngine
package import InkPlanning

/// What to do if a picture's file already exists.
package enum ExistingFilePolicy: String, Hashable, Sendable, CaseIterable {
    /// Keep it if its digest shows that it is complete and the same; otherwise replace it.
    case skipUnchanged = "skip-unchanged"
    case overwrite
    /// Put `-1`, `-2`, ... behind the name.
    case suffix
    case fail

    /// Whether a picture may replace a file, including one that appears during rendering.
    package var replacesFiles: Bool { self == .skipUnchanged || self == .overwrite }
}

/// Which pictures come out of one project.
package enum LayerChoice: Hashable, Sendable {
    /// One, of all visible layers.
    case visible
    /// One, of these layers, hidden or not; each an id or a name.
    case named([String])
    /// One a visible layer.
    case each
}

/// Where results of tiles are kept for later runs.
package struct CacheArguments: Hashable, Sendable {
    package var folder: String
    package var bytesMax: Int

    package init(folder: String, bytesMax: Int) {
        self.folder = folder
        self.bytesMax = bytesMax
    }
}

/// Where a run reports and when it stops; does not affect pictures.
package struct RunArguments: Hashable, Sendable {
    package var workers: Int?
    /// Where results of tiles are kept; nil: nowhere.
    package var cache: CacheArguments?
    package var keepsGoing = true
    package var isDryRun = false
    package var reportPath: String?
    /// A PDF of all pictures of the run that are PDF.
    package var bookPath: String?
    /// A sprite sheet of all pictures of the run that are PNG.
    package var sheetPath: String?
    package var contactSheet: ContactArguments?
    /// Whether somebody asks for the SHA-256 of the files.
    package var wantsFileDigests = false
    /// Whether a project that gives warnings is refused.
    package var isStrict = false
    /// The part of the run that this process does; nil: all of it.
    package var shard: Shard?

    package init(workers: Int? = nil) { self.workers = workers }
}

/// What is to be exported, and how: checked one by one and against each other.
package struct ExportArguments: Hashable, Sendable {
    package var paths: [String]
    package var output: String?
    /// Whether the one picture of the run is for standard output; `output` is then a folder where it is made.
    package var isStandardOutput = false
    package var sizes: [ExportSize]
    package var name: NameTemplate
    /// Without layers and digests, and the view where each viewport is wanted: each picture has these of its own. Its
    /// files are those that are made of each picture.
    package var options: PictureOptions
    package var layers: LayerChoice
    /// One picture a viewport of the project.
    package var isEachViewport = false
    /// What happens to existing files; nil: decided by the number of inputs.
    package var ifExists: ExistingFilePolicy?
    package var presetFolders: [String]
    /// Whether the picture that a document holds beside its layers is taken in their place.
    package var takesMerged = false
    /// For strokes of documents of other programs.
    package var brush = BrushChange()
    /// The paper that pages are for.
    package var paper = PaperChoice()
    package var limitsPath: String?
    /// A margin on paper, output pixels, where the view is a fit; nil: that of the view.
    package var outputMargin: Double?
    /// Laid over the pictures, but for those of one layer alone.
    package var overlays = OverlayArguments()
    /// What a search through folders does with photos.
    package var photos = PhotoSearch()
    /// Whether a search also takes documents of other programs whose endings are those of other files too.
    package var takesDocuments = false
    /// Whether pictures that are made of documents with a size in pixels have that size.
    package var keepsOwnSizes = false
    /// Whether pictures that are made of photos have the photo's format.
    package var keepsPhotoFormats = false
    package var run: RunArguments

    package init(
        paths: [String], output: String?, sizes: [ExportSize], name: NameTemplate, options: PictureOptions,
        layers: LayerChoice, ifExists: ExistingFilePolicy?, presetFolders: [String] = [], limitsPath: String? = nil,
        run: RunArguments
    ) {
        self.paths = paths
        self.output = output
        self.sizes = sizes
        self.name = name
        self.options = options
        self.layers = layers
        self.ifExists = ifExists
        self.presetFolders = presetFolders
        self.limitsPath = limitsPath
        self.run = run
    }

    /// The sizes of the pictures of an input.
    func sizes(of input: ExportInput) -> [ExportSize] {
        guard keepsOwnSizes else { return sizes }
        if isOnPaper(input) {
            let dots = options.dotsPerInch ?? Self.paperDotsPerInch
            return [.resolution(dots, text: dots == dots.rounded() ? "\(Int(dots))" : "\(dots)")]
        }
        return input.traits.hasOwnSize ? ExportSize("1x").map { [$0] } ?? sizes : sizes
    }

    /// The resolution of pictures of pages where nothing else is said.
    private static let paperDotsPerInch = 300.0

    /// Whether the pictures of an input have a size on paper.
    func isOnPaper(_ input: ExportInput) -> Bool { input.traits.hasPaper || paper.size != nil }

    /// How the files of each picture of an input are encoded; nil for a file that is as the options say.
    func encodings(of input: ExportInput) -> [PictureEncoding?] {
        if let photo = photoEncoding(input) { return [photo] }
        return options.files.map { file in
            guard input.traits.hasPaper, file.encoding.format == .pdf else { return nil }
            let codec = PictureCodecs.vectorPDF
            return PictureEncoding(format: codec.format, taking: codec.settings, from: file.encoding)
        }
    }

    /// How the only file of each picture of a photo is encoded; nil for other inputs, which have those of the options.
    private func photoEncoding(_ input: ExportInput) -> PictureEncoding? {
        guard keepsPhotoFormats, let format = input.traits.format, let codec = PictureCodecs.codec(of: format) else {
            return nil
        }
        let settings = codec.settings.subtracting([.compression, .bleed, .tileSize, .tileOverlap])
        return PictureEncoding(format: codec.format, taking: settings, from: options.encoding)
    }

    /// The output where it is the name of a picture, not of a folder.
    var outputFile: String? { output.flatMap { PictureCodecs.codec(ofFile: $0) == nil ? nil : $0 } }
}

extension PictureEncoding {
    /// That of a format, with these settings of another one.
    init(format: PictureFormat, taking settings: Set<EncodingSetting>, from other: PictureEncoding) {
        self.init(format: format)
        if settings.contains(.effort) { effort = other.effort }
        if settings.contains(.quality) { quality = other.quality }
        if settings.contains(.maxBytes) { bytesMax = other.bytesMax }
        if settings.contains(.chroma) { chroma = other.chroma }
        if settings.contains(.progressive) { isProgressive = other.isProgressive }
        if settings.contains(.lossless) { isLossless = other.isLossless }
        if settings.contains(.compression) { compression = other.compression }
        if settings.contains(.bleed) { bleed = other.bleed }
        if settings.contains(.tileSize) { tileSize = other.tileSize }
        if settings.contains(.tileOverlap) { tileOverlap = other.tileOverlap }
        if settings.contains(.plotHidden) { plot.keepsHidden = other.plot.keepsHidden }
        if settings.contains(.pens) { plot.pens = other.plot.pens }
        if settings.contains(.plotFill) { plot.hatch = other.plot.hatch }
    }
}
