import InkCodecs
public import InkEngine

/// What planning has to know of a document before it is read.
public struct DocumentTraits: Hashable, Sendable {
    /// Whether it is a picture itself, such as a photo: what comes of it replaces nothing.
    public var isPicture = false
    /// Whether its pictures have its size in pixels where nothing else is said.
    public var hasOwnSize = false
    public var mayHavePages = false
    /// Whether its pages have a size on paper.
    public var hasPaper = false
    /// The format that a picture is kept in where nothing else is said; nil where there is none: only the first frame of a
    /// GIF is a picture, and an SVG is drawn.
    public var format: PictureFormat?
}

/// The kinds of documents that are read.
public enum DocumentReaders {
    /// Asked in this order; the last takes what no other recognizes, and says what is wrong with it.
    private static let all: [any DocumentReader] = [
        PSDDocument(), OpenRasterDocument(), KritaDocument(), AsepriteDocument(), XournalDocument(),
        ExcalidrawDocument(), TldrawDocument(), RnoteDocument(), InkMLDocument(), UnipenDocument(), TabletDocument(),
        MyPaintEventsDocument(), WacomInkDocument(), WacomSamplesDocument(), ScorePagesDocument(),
        TemplateDocument(), QuickDrawDocument(), PhotoDocument(), PackDocument(), InkDocument(),
    ]

    static func reader(of head: DocumentHead) -> any DocumentReader {
        // A file of another kind that is named like a project is a mistake, which the reader of projects explains.
        let isNamedProject = head.name.lowercased().hasSuffix(".ink")
        return all.first { (!isNamedProject || $0.isProject || $0.isImported) && $0.recognizes(head) } ?? InkDocument()
    }

    /// Endings of the files of the kind that a document is of.
    public static func endings(of bytes: [UInt8], name: String) -> [String] {
        reader(of: DocumentHead(.file(bytes), name: name)).endings
    }

    /// Endings of the files that a search through folders takes.
    public static let endings = all.flatMap(\.endings)

    /// Endings of pictures that are documents themselves, such as photos.
    public static let pictureEndings = all.flatMap(\.pictureEndings)

    /// Facts about a document before it is read: by its content, and where no reader recognizes that, or there is
    /// none, by its name.
    ///
    /// - Parameters:
    ///   - head: the first bytes, at least 64 KiB unless the file is shorter; nil for a folder, and for what cannot be
    ///     read.
    ///   - name: of the file or folder.
    public static func traits(of head: [UInt8]?, name: String) -> DocumentTraits {
        let lower = name.lowercased()
        // A project, whatever it holds.
        guard !lower.hasSuffix(".ink") else { return DocumentTraits() }
        if let head, let reader = all.first(where: { $0.recognizes(DocumentHead(.file(head), name: name)) }) {
            return traits(of: reader, format: PhotoDocument.format(of: head))
        }
        let named = all.first { ($0.endings + $0.pictureEndings).contains { lower.hasSuffix($0) } }
        return named.map { traits(of: $0, format: PictureCodecs.codec(ofFile: name)) } ?? DocumentTraits()
    }

    private static func traits(of reader: any DocumentReader, format: (any PictureCodec)?) -> DocumentTraits {
        let isPicture = reader is PhotoDocument
        return DocumentTraits(
            isPicture: isPicture, hasOwnSize: reader.hasOwnSize, mayHavePages: reader.mayHavePages,
            hasPaper: reader.hasPaper,
            // What is laid over an SVG is none.
            format: isPicture && format?.isVector == false ? format?.format : nil)
    }

    /// Whether a file is a document of another program that has pictures of its own, other than a photo, by its name and its
    /// first bytes.
    ///
    /// - Parameters:
    ///   - bytes: at least 64 KiB, unless the file is shorter.
    ///   - name: of the file.
    public static func isForeignDocument(_ bytes: [UInt8], name: String) -> Bool {
        let reader = reader(of: DocumentHead(.file(bytes), name: name))
        return !reader.isProject && !reader.isImported && !(reader is PhotoDocument)
    }

    /// Endings of the folders that a search takes as one document each.
    public static let folderEndings = all.flatMap(\.folderEndings)

    /// All endings as a message names them: `.ink, .inktemplate and .zip`.
    public static var shownEndings: String {
        let names = Set(endings + folderEndings).sorted()
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    /// Reads the pages of a document to import.
    ///
    /// - Throws: as `DocumentReader.read`; `badInput` for a project, which needs no import.
    public static func importPages(
        _ bytes: consuming [UInt8], name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        guard !bytes.isEmpty else { throw .badInput(Place(file: name), reason: "the file is empty") }
        let head = DocumentHead(.file(bytes), name: name)
        let outlines = SVGStrokesDocument()
        let reader = context.takesOutlines && outlines.recognizes(head) ? outlines : Self.reader(of: head)
        if context.takesOutlines, reader is PhotoDocument {
            throw .badInput(
                Place(file: name), reason: "is a picture of pixels, which has no outlines; leave out --strokes")
        }
        if reader.isProject {
            if isProject(bytes, name, context) {
                throw .badInput(Place(file: name), reason: "is already an Ink project; use ink export")
            }
            try QuickDrawDocument.refuseForeign(bytes, name)
        }
        // What nobody recognizes is read as lines of drawings, which say what is wrong with them.
        guard !reader.isProject else {
            let drawings = QuickDrawDocument()
            return try drawings.read(
                DocumentContent.file(bytes).decoded(for: drawings), name: name, context, onPage: onPage)
        }
        try reader.read(DocumentContent.file(bytes).decoded(for: reader), name: name, context) { page in
            onPage(
                page.flatMap { (page) -> Result<DocumentPage, EngineError> in
                    do throws(EngineError) {
                        var page = page
                        context.brush.apply(to: &page.reading)
                        page.reading.project = try page.reading.project.withCommonImages(limits: context.limits)
                        return .success(page)
                    } catch {
                        return .failure(error)
                    }
                })
        }
    }

    private static func isProject(_ bytes: [UInt8], _ name: String, _ context: DocumentContext) -> Bool {
        // A file without a canvas is not a project and need not be read.
        guard bytes.holds("\"canvas") else { return false }
        // Whatever the error, it is not a project.
        return (try? ProjectLoader.load(bytes: bytes, name: name, limits: context.limits)) != nil
    }
}
