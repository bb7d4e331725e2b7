public import InkEngine

/// A project to read and to cut into blocks.
public enum ReadTask: Hashable, Sendable {
    /// The local block that refers to the project.
    case local(BlockID)
    case document(DocumentTask)

    /// The blocks that hold what is read, each once for every use.
    public var blocks: [BlockID] {
        switch self {
        case .local(let id): [id]
        case .document(let task): task.content.parts + task.companions.flatMap(\.answer.parts)
        }
    }
}

/// A document to read, and the picture that is wanted of it.
public struct DocumentTask: Hashable, Sendable {
    /// The job's, for messages.
    public var name: String
    public var content: DocumentParts
    /// Files beside the document that its reader has asked for.
    public var companions: [Companion]
    public var picture: PictureSpec
    /// The program's name and version, for the picture's metadata.
    public var software: String
    public var limits: Limits
    /// Whether the draft needs the hashes of its strokes, under which results are kept.
    public var digestsStrokes: Bool

    public init(
        name: String, content: DocumentParts, companions: [Companion] = [], picture: PictureSpec, software: String,
        limits: Limits, digestsStrokes: Bool
    ) {
        self.name = name
        self.content = content
        self.companions = companions
        self.picture = picture
        self.software = software
        self.limits = limits
        self.digestsStrokes = digestsStrokes
    }
}

/// A document, and where its bytes are.
public struct DocumentParts: Hashable, Sendable {
    /// Names it in messages of its reader; its ending may tell what kind it is.
    public var name: String
    /// Blocks that together hold the file, in order; none for a folder, whose files are companions.
    public var parts: [BlockID]
    public var isFolder: Bool
    public var encoding: ContentEncoding
    /// Whether the document's name may be that of what it was made of, so that its ending tells nothing of the bytes.
    public var isNamedByOthers: Bool

    public init(
        name: String, parts: [BlockID], isFolder: Bool = false, encoding: ContentEncoding = .plain,
        isNamedByOthers: Bool
    ) {
        self.name = name
        self.parts = parts
        self.isFolder = isFolder
        self.encoding = encoding
        self.isNamedByOthers = isNamedByOthers
    }

    /// Bytes of each part but the last.
    public static let partBytes = 4 << 20
}

/// The name of a file beside a document, or of a list of such files, as its reader asks for it.
public struct CompanionRequest: Hashable, Sendable {
    public var kind: UInt8
    /// In UTF-8.
    public var name: [UInt8]

    public init(kind: UInt8, name: [UInt8]) {
        self.kind = kind
        self.name = name
    }
}

/// What a request of a document's reader has found.
public struct Companion: Hashable, Sendable {
    public var request: CompanionRequest
    public var answer: Answer

    public enum Answer: Hashable, Sendable {
        /// Blocks that together hold the file, in order, and its path for messages.
        case file([BlockID], path: String)
        case missing
        /// The document has no folder.
        case nowhere
        /// Folders of presets: their paths, whether they lie beside the project, and the names of their files.
        case folders([Folder])
        /// The file cannot be had.
        case failed(EngineError)

        var parts: [BlockID] {
            if case .file(let parts, _) = self { parts } else { [] }
        }
    }

    public struct Folder: Hashable, Sendable {
        public var path: String
        public var isBeside: Bool
        public var files: [String]

        public init(path: String, isBeside: Bool, files: [String]) {
            self.path = path
            self.isBeside = isBeside
            self.files = files
        }
    }

    public init(request: CompanionRequest, answer: Answer) {
        self.request = request
        self.answer = answer
    }
}

// MARK: - On the wire

extension ReadTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        if try reader.bool("document") {
            self = .document(try DocumentTask(from: &reader))
        } else {
            self = .local(try BlockID(from: &reader))
        }
    }

    package func write(to writer: inout ByteWriter) {
        switch self {
        case .local(let id):
            writer.bool(false)
            id.write(to: &writer)
        case .document(let task):
            writer.bool(true)
            task.write(to: &writer)
        }
    }
}

extension DocumentTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        name = try reader.text("name", limit: ProtocolLimits.textBytes)
        content = try DocumentParts(from: &reader)
        companions = try reader.array("companions", elementBytes: 3, limit: ProtocolLimits.companions)
        picture = try PictureSpec(from: &reader)
        software = try reader.text("software", limit: ProtocolLimits.textBytes)
        limits = try Limits(from: &reader)
        digestsStrokes = try reader.bool("digests of strokes")
    }

    package func write(to writer: inout ByteWriter) {
        writer.text(name, limit: ProtocolLimits.textBytes)
        content.write(to: &writer)
        writer.array(companions)
        picture.write(to: &writer)
        writer.text(software, limit: ProtocolLimits.textBytes)
        limits.write(to: &writer)
        writer.bool(digestsStrokes)
    }
}

extension DocumentParts: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        name = try reader.text("name of the document", limit: ProtocolLimits.textBytes)
        isFolder = try reader.bool("folder")
        encoding = try reader.enumeration("encoding")
        isNamedByOthers = try reader.bool("named by others")
        parts = try reader.array("parts of the document", elementBytes: 32)
    }

    package func write(to writer: inout ByteWriter) {
        writer.text(name, limit: ProtocolLimits.textBytes)
        writer.bool(isFolder)
        writer.uint8(encoding.rawValue)
        writer.bool(isNamedByOthers)
        writer.array(parts)
    }
}

extension CompanionRequest: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        kind = try reader.uint8("kind of companion")
        name = try reader.bytes(
            reader.count("companion's name", elementBytes: 1, limit: ProtocolLimits.textBytes), "companion's name")
    }

    package func write(to writer: inout ByteWriter) {
        writer.uint8(kind)
        writer.integer(name.count)
        writer.raw(name)
    }
}

extension Companion: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        request = try CompanionRequest(from: &reader)
        let kind = try reader.uint8("companion's answer")
        switch kind {
        case 0:
            let parts: [BlockID] = try reader.array("parts of a file", elementBytes: 32)
            answer = .file(parts, path: try reader.text("path", limit: ProtocolLimits.textBytes))
        case 1: answer = .missing
        case 2: answer = .nowhere
        case 3: answer = .folders(try reader.array("folders", elementBytes: 3))
        case 4: answer = .failed(try EngineError(from: &reader))
        default:
            throw .badValue(
                what: "companion's answer", offset: reader.offset - 1, found: "\(kind)", expected: "0 to 4")
        }
    }

    package func write(to writer: inout ByteWriter) {
        request.write(to: &writer)
        switch answer {
        case .file(let parts, let path):
            writer.uint8(0)
            writer.array(parts)
            writer.text(path, limit: ProtocolLimits.textBytes)
        case .missing: writer.uint8(1)
        case .nowhere: writer.uint8(2)
        case .folders(let folders):
            writer.uint8(3)
            writer.array(folders)
        case .failed(let error):
            writer.uint8(4)
            error.write(to: &writer)
        }
    }
}

extension Companion.Folder: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        path = try reader.text("folder", limit: ProtocolLimits.textBytes)
        isBeside = try reader.bool("beside the project")
        let count = try reader.count("files", elementBytes: 1, limit: ProtocolLimits.companions)
        var files: [String] = []
        for _ in 0..<count { files.append(try reader.text("file", limit: ProtocolLimits.textBytes)) }
        self.files = files
    }

    package func write(to writer: inout ByteWriter) {
        writer.text(path, limit: ProtocolLimits.textBytes)
        writer.bool(isBeside)
        writer.integer(files.count)
        for file in files { writer.text(file, limit: ProtocolLimits.textBytes) }
    }
}
