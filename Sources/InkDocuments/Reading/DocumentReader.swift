import InkCodecs
public import InkEngine

/// One kind of document: how to tell it from others, and how to read its pages. Each page is a project.
///
/// A new kind is a type that conforms to this protocol and a line in `DocumentReaders`.
public protocol DocumentReader: Sendable {
    /// Endings of file names, in lower case and with the dot. A search through folders takes files that end so.
    var endings: [String] { get }
    /// Endings of the names of pictures that are documents. A search takes them only where they are what is looked for.
    var pictureEndings: [String] { get }
    /// Endings of the names of folders that are one document each.
    var folderEndings: [String] { get }
    /// Whether a document has a size in pixels that its pictures should have where nothing else is said.
    var hasOwnSize: Bool { get }
    /// Whether a document holds a picture of all of it beside its layers.
    var holdsMerged: Bool { get }
    /// Whether a document may have several pages, each of which is a picture (`Project.hasPages`).
    var mayHavePages: Bool { get }
    /// Whether its pages are of paper, whose size is known (`ProjectMetadata.unitsPerInch`).
    var hasPaper: Bool { get }
    /// Whether it is a project, or a template of one, which needs no import.
    var isProject: Bool { get }
    /// Whether `ink import` turns each page into a project of its own, because the document itself says neither canvas
    /// nor brush.
    var isImported: Bool { get }

    /// Whether a document is of this kind, from its name and its first bytes.
    func recognizes(_ head: DocumentHead) -> Bool

    /// Reads a document page by page.
    ///
    /// - Parameters:
    ///   - content: taken over, so that it can be freed as soon as it is parsed.
    ///   - name: names the document in messages.
    ///   - context: what is to be known beside the document.
    ///   - onPage: gets each page in order, or the error of a page that cannot be read; the others go on.
    /// - Throws: `badInput` and `overLimit` when the document as a whole cannot be read, `io` when the system refuses to
    ///   read a file of it.
    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError)
}

extension DocumentReader {
    public var endings: [String] { [] }
    public var pictureEndings: [String] { [] }
    public var folderEndings: [String] { [] }
    public var hasOwnSize: Bool { false }
    public var holdsMerged: Bool { false }
    public var mayHavePages: Bool { false }
    public var hasPaper: Bool { false }
    public var isProject: Bool { false }
    public var isImported: Bool { false }
}

/// What a reader finds in a document that gives one project.
typealias FoundProject = (project: Project, warnings: [ReadingWarning])

/// A kind of document of another program that is one file and gives one project.
protocol FileDocumentReader: DocumentReader {
    /// What a document of the kind is, such as `a note`; for a folder that is none.
    var what: String { get }
    /// What the digest of a document begins with: the same bytes of another kind are another project.
    var label: String { get }

    /// Reads the project of a document.
    ///
    /// - Parameters:
    ///   - bytes: of the file; taken over, so that they can be freed as soon as they are parsed.
    ///   - place: names the document in messages.
    ///   - context: what is to be known beside the document.
    /// - Throws: as `DocumentReader.read`.
    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject
}

extension FileDocumentReader {
    public func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        let place = Place(file: name)
        guard case .file(let bytes) = consume content else {
            throw .badInput(place, reason: "is a folder, not \(what)")
        }
        let digest = SHA256()
        digest.update(label: holdsMerged && context.takesMerged ? "\(label), merged" : label, bytes)
        let found = try project(consume bytes, place, context)
        let reading = ProjectReading(
            project: found.project, warnings: found.warnings, contentDigest: digest.finish())
        onPage(.success(DocumentPage(reading: reading)))
    }
}

/// What a reader sees of a document to recognize it.
public struct DocumentHead: Sendable {
    /// Bytes that are kept of a file's beginning.
    static let bytesMax = 1 << 16

    /// As the person named it.
    public var name: String
    public var isFolder: Bool
    /// The first bytes of a file, of a text in UTF-8; empty for a folder.
    public var bytes: [UInt8]

    init(_ content: borrowing DocumentContent, name: String) {
        self.name = name
        switch content {
        case .folder: (isFolder, bytes) = (true, [])
        case .file(let file): (isFolder, bytes) = (false, TextEncoding.utf8(Array(file.prefix(Self.bytesMax))))
        }
    }
}

/// A document that has been opened.
public enum DocumentContent: Sendable {
    /// All bytes of a file, with the spare capacity that `InputFile` gives.
    case file([UInt8])
    /// A folder that is one document; its files are companions.
    case folder

    /// With a text in UTF-8, for documents of other programs. Projects and templates are UTF-8, and say so themselves.
    consuming func decoded(for reader: any DocumentReader) -> DocumentContent {
        guard case .file(let bytes) = self, !reader.isProject, TextEncoding(of: bytes) != nil else { return self }
        return .file(TextEncoding.utf8(bytes))
    }
}

/// What readers need to know beside the document.
public struct DocumentContext {
    /// Beyond them a document is refused.
    public var limits: Limits
    /// The files that belong to the document, and brush presets that strokes name.
    public var companions: any CompanionFiles
    /// For documents that say neither canvas nor brush.
    public var drawing: ImportedDrawing
    /// Changes to the brush of strokes that documents of other programs hold.
    public var brush = BrushChange()
    /// The paper that pages are for.
    public var paper = PaperChoice()
    /// Whether the outlines of an SVG are strokes; else it is a picture.
    public var takesOutlines = false
    /// Whether outlines are fitted into the canvas of `drawing`; else the canvas is as large as the SVG.
    public var fitsOutlines = false
    /// Whether the picture that a file holds beside its layers is taken in their place.
    public var takesMerged = false
    /// Whether documents of other programs and pictures are read too, besides projects and templates.
    public var takesForeign = true
    /// Gets the bytes of a project file (not of a template) just before they are parsed.
    public var onText: (([UInt8]) -> Void)?
    /// Gets all errors of a project file, of which reading throws the first.
    package var faults: FaultList?

    public init(
        limits: Limits = Limits(), companions: any CompanionFiles = FolderCompanions(),
        drawing: ImportedDrawing = ImportedDrawing(),
        onText: (([UInt8]) -> Void)? = nil
    ) {
        self.limits = limits
        self.companions = companions
        self.drawing = drawing
        self.onText = onText
    }
}

/// How strokes without canvas and brush become a project.
public struct ImportedDrawing: Hashable, Sendable {
    public var brush: Brush
    /// Pixels.
    public var canvas: PixelSize
    /// Canvas pixels that stay free at each edge; leaves some of the canvas.
    public var margin: Double

    public init(
        brush: Brush = Brush(type: .solid, lineWidth: 8), canvas: PixelSize = PixelSize(width: 2048, height: 2048),
        margin: Double = 128
    ) {
        self.brush = brush
        self.canvas = canvas
        self.margin = margin
    }
}

/// One page of a document.
public struct DocumentPage: Sendable {
    /// A file name for it, without an ending; empty where the document has only this page.
    public var name = ""
    /// Where it stands in the document, for messages: `line 3`; empty where the document has only this page.
    public var place = ""
    public var reading: ProjectReading
}
