public import InkCodecs
public import InkEngine

/// A permanent identifier of a job at its broker. It stays valid across restarts and is never reused.
///
/// A number above 0.
public typealias JobNumber = UInt64

/// A client's identifier for one submission, so that repeating it does not create a second job. 16 random bytes.
public struct SubmissionKey: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes.
    public let bytes: [UInt8]

    /// - Precondition: 16 bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 16)
        self.bytes = bytes
    }

    /// Makes a new key.
    public static func random() -> SubmissionKey {
        var generator = SystemRandomNumberGenerator()
        return SubmissionKey(bytes: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    public var description: String { bytes.hexadecimal }
}

/// A client's request for a picture of a project.
public struct Submission: Hashable, Sendable {
    public var key: SubmissionKey
    /// The project's name in messages; 1 to `ProtocolLimits.nameBytes` bytes of UTF-8.
    public var name: String
    public var source: ProjectSource
    public var picture: PictureSpec
    public var delivery: PictureDelivery
    /// -10 to 10; higher priorities go first.
    public var priority: Int
    /// 1 to 100: share of turns in proportion to other jobs of the same priority.
    public var weight: Int
    /// The path of the picture below the folder that it will be put into, as `ink export` names it; relative, without `.`
    /// and `..`. Empty: none was chosen.
    public var file: String

    public init(
        key: SubmissionKey, name: String, source: ProjectSource, picture: PictureSpec, delivery: PictureDelivery,
        priority: Int = JobPriority.normal, weight: Int = 1, file: String = ""
    ) {
        self.key = key
        self.name = name
        self.source = source
        self.picture = picture
        self.delivery = delivery
        self.priority = priority
        self.weight = weight
        self.file = file
    }
}

/// The named priorities.
public enum JobPriority {
    /// The possible priorities; jobs of higher ones go first.
    public static let range = -10...10
    /// The default of `ink submit`.
    public static let bulk = -5
    /// The default of `ink export --broker`.
    public static let normal = 0
    /// Above all defaults.
    public static let urgent = 5
}

/// Where the broker finds a project.
public enum ProjectSource: Hashable, Sendable {
    /// Content that the broker requests from the client unless it has it: a project file, or a zstd frame of one.
    case content(ContentID, byteCount: UInt64, ContentEncoding)
    /// An absolute path on the broker's file system, below one of its input roots.
    case path(String)
}

/// How a content's bytes hold the project.
public enum ContentEncoding: UInt8, Hashable, Sendable {
    case plain = 0
    case zstd = 1
}

/// The name of a content: the SHA-256 of its bytes, 32 bytes.
public typealias ContentID = BlockID

/// Where the picture goes.
public enum PictureDelivery: Hashable, Sendable {
    /// The broker keeps it for the client to fetch.
    case fetch
    /// The broker writes it to this path below its output root; relative, without `.` and `..`.
    case write(String)
}

/// The options of a picture. See `ink help export`.
public struct PictureSpec: Hashable, Sendable {
    public var size: SizeSpec
    public var options: PictureOptions

    public init(size: SizeSpec, options: PictureOptions = PictureOptions()) {
        self.size = size
        self.options = options
    }
}

/// The size of a picture, in pixels or as a rule for its project.
public enum SizeSpec: Hashable, Sendable {
    /// Output pixels.
    case exact(PixelSize)
    /// As users write it: `2k`, `0.5x`, `1920x1080`.
    case named(String)
}

// MARK: - On the wire

extension Submission: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        key = try SubmissionKey(from: &reader)
        name = try reader.text("name", limit: ProtocolLimits.nameBytes)
        source = try ProjectSource(from: &reader)
        picture = try PictureSpec(from: &reader)
        if try reader.bool("delivery") {
            delivery = .write(try reader.text("output path", limit: ProtocolLimits.textBytes))
        } else {
            delivery = .fetch
        }
        file = try reader.text("file name", limit: ProtocolLimits.textBytes)
        priority = try reader.integer("priority", in: 0...20) - 10
        weight = try reader.integer("weight", in: 1...100)
    }

    package func write(to writer: inout ByteWriter) {
        key.write(to: &writer)
        writer.text(name, limit: ProtocolLimits.nameBytes)
        source.write(to: &writer)
        picture.write(to: &writer)
        switch delivery {
        case .fetch: writer.bool(false)
        case .write(let path):
            writer.bool(true)
            writer.text(path, limit: ProtocolLimits.textBytes)
        }
        writer.text(file, limit: ProtocolLimits.textBytes)
        writer.integer(max(0, min(20, priority + 10)))
        writer.integer(max(1, min(100, weight)))
    }

    /// Throws for values that a reader would refuse, or that would be changed: a truncated path is a different path.
    func check() throws(ProtocolError) {
        func check(_ what: String, _ found: Int, _ range: ClosedRange<Int>) throws(ProtocolError) {
            guard found >= range.lowerBound else {
                throw .badValue(what: what, offset: 0, found: "\(found)", expected: "at least \(range.lowerBound)")
            }
            guard found <= range.upperBound else {
                throw .overLimit(what: what, found: UInt64(found), limit: UInt64(range.upperBound))
            }
        }
        try check("length of the name", name.utf8.count, 1...ProtocolLimits.nameBytes)
        switch source {
        case .path(let path): try check("length of the project's path", path.utf8.count, 1...ProtocolLimits.textBytes)
        case .content(_, let byteCount, _):
            try check("content", Int(clamping: byteCount), 1...Int(ProtocolLimits.contentBytes))
        }
        if case .write(let path) = delivery {
            try check("length of the output path", path.utf8.count, 1...ProtocolLimits.textBytes)
        }
        try check("length of the file name", file.utf8.count, 0...ProtocolLimits.textBytes)
        switch picture.size {
        case .named(let name): try check("length of the size", name.utf8.count, 1...ProtocolLimits.nameBytes)
        case .exact(let size):
            try check("width", size.width, 1...ProtocolLimits.edgePixels)
            try check("height", size.height, 1...ProtocolLimits.edgePixels)
        }
        let options = picture.options
        try check("number of layers", options.layers?.count ?? 0, 0...ProtocolLimits.layers)
        for layer in options.layers ?? [] { try check("layer", layer, 0...(ProtocolLimits.layers - 1)) }
        if let dotsPerInch = options.dotsPerInch, !PictureOptions.dotsPerInchRange.contains(dotsPerInch) {
            throw .badValue(what: "dpi", offset: 0, found: "\(dotsPerInch)", expected: "1 to 100000")
        }
        try check("number of files", options.files.count, 1...PictureSet.countMax)
        for file in options.files { try check("length of the digest", file.digest?.count ?? 32, 32...32) }
    }

    /// The submission as bytes, for a store. Equal submissions give equal bytes.
    public var stored: [UInt8] { encoded() }

    /// Decodes the result of `stored`.
    ///
    /// - Throws: the errors of `ByteReader`, `trailingBytes`.
    public init(stored bytes: [UInt8]) throws(ProtocolError) { try self.init(decoding: bytes, "submission") }

    /// SHA-256 of the encoded submission: its key, content and options in 32 bytes.
    public var digest: ContentID { ContentID(hashing: stored) }
}

extension SubmissionKey: WireValue {
    static let leastBytes = 16

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init(bytes: try reader.bytes(16, "submission key"))
    }

    package func write(to writer: inout ByteWriter) { writer.raw(bytes) }
}

extension ProjectSource: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        if try reader.bool("source") {
            self = .path(try reader.text("project path", limit: ProtocolLimits.textBytes))
        } else {
            let id = try ContentID(from: &reader)
            let byteCount = try reader.uint64("content bytes")
            guard byteCount > 0, byteCount <= ProtocolLimits.contentBytes else {
                throw .overLimit(what: "content", found: byteCount, limit: ProtocolLimits.contentBytes)
            }
            self = .content(id, byteCount: byteCount, try reader.enumeration("content encoding"))
        }
    }

    package func write(to writer: inout ByteWriter) {
        switch self {
        case .content(let id, let byteCount, let encoding):
            writer.bool(false)
            id.write(to: &writer)
            writer.uint64(byteCount)
            writer.uint8(encoding.rawValue)
        case .path(let path):
            writer.bool(true)
            writer.text(path, limit: ProtocolLimits.textBytes)
        }
    }
}

extension PictureSpec: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        if try reader.bool("size kind") {
            size = .named(try reader.text("size", limit: ProtocolLimits.nameBytes))
        } else {
            size = .exact(try PixelSize(from: &reader))
        }
        options = try PictureOptions(from: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        switch size {
        case .exact(let size):
            writer.bool(false)
            size.write(to: &writer)
        case .named(let name):
            writer.bool(true)
            writer.text(name, limit: ProtocolLimits.nameBytes)
        }
        options.write(to: &writer)
    }
}

extension PictureOptions: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init()
        background = try reader.optional("has background")
        includesBaseImage = try reader.bool("base image")
        if try reader.bool("has layers") {
            let count = try reader.count("layers", elementBytes: 1, limit: ProtocolLimits.layers)
            var indices: [Int] = []
            for _ in 0..<count { indices.append(try reader.integer("layer", in: 0...(ProtocolLimits.layers - 1))) }
            layers = indices
        }
        fillsSuggested = try reader.bool("fill")
        view = try reader.optional("has view")
        fit = try reader.optional("has fit")
        colorMode = try reader.enumeration("color mode")
        tile = try reader.optional("has tile")
        dotsPerInch = try reader.optionalDouble("dpi", in: PictureOptions.dotsPerInchRange)
        hasMetadata = try reader.bool("metadata")
        keeps = try reader.flags("kinds of metadata", of: MetadataKinds.all)
        let start = reader.offset
        let found: [PictureFileOptions] = try reader.array(
            "files", elementBytes: PictureFileOptions.leastBytes, limit: PictureSet.countMax)
        guard !found.isEmpty else {
            throw .badValue(what: "files", offset: start, found: "none", expected: "at least one")
        }
        files = found
    }

    package func write(to writer: inout ByteWriter) {
        writer.optional(background)
        writer.bool(includesBaseImage)
        writer.bool(layers != nil)
        if let layers {
            writer.integer(layers.count)
            for layer in layers { writer.integer(layer) }
        }
        writer.bool(fillsSuggested)
        writer.optional(view)
        writer.optional(fit)
        writer.uint8(colorMode.rawValue)
        writer.optional(tile)
        writer.optionalDouble(dotsPerInch)
        writer.bool(hasMetadata)
        writer.uint8(keeps.rawValue)
        writer.array(files)
    }
}

extension PictureFileOptions: WireValue {
    static let leastBytes = PictureEncoding.leastBytes + 1

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init(encoding: try PictureEncoding(from: &reader))
        if try reader.bool("has digest") { digest = try reader.bytes(32, "digest") }
    }

    package func write(to writer: inout ByteWriter) {
        encoding.write(to: &writer)
        writer.bool(digest != nil)
        if let digest { writer.raw(digest) }
    }
}

/// v margin, u8 alignment: 0 top, 1 centre, 2 bottom; bool: pixels are repeated.
extension PictureFit: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init(margin: try reader.integer("margin", in: 0...ProtocolLimits.edgePixels))
        alignment = try reader.enumeration("alignment")
        repeatsPixels = try reader.bool("repeated pixels")
    }

    package func write(to writer: inout ByteWriter) {
        writer.integer(margin)
        writer.uint8(alignment.rawValue)
        writer.bool(repeatsPixels)
    }
}

/// 1 kind: 0 named (the name), 1 index, 2 place (8 each x, y, zoom, rotation; a size?), 3 fit (8 margin?).
extension ViewChoice: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        let lengths = Double.leastNormalMagnitude...ProtocolLimits.coordinate
        let kind = try reader.uint8("view")
        switch kind {
        case 0: self = .named(try reader.text("viewport", limit: ProtocolLimits.textBytes))
        case 1: self = .index(try reader.integer("viewport", in: 0...(ProtocolLimits.layers - 1)))
        case 2:
            let center = try Point(from: &reader)
            let zoom = try reader.double("zoom", in: lengths)
            let rotation = try reader.double("rotation", in: finite)
            self = .place(center: center, zoom: zoom, rotation: rotation, size: try reader.optional("has size"))
        case 3: self = .fit(margin: try reader.optionalDouble("margin", in: 0...ProtocolLimits.coordinate))
        default:
            throw .badValue(what: "view", offset: reader.offset - 1, found: "\(kind)", expected: "0 to 3")
        }
    }

    package func write(to writer: inout ByteWriter) {
        switch self {
        case .named(let name):
            writer.uint8(0)
            writer.text(name, limit: ProtocolLimits.textBytes)
        case .index(let index):
            writer.uint8(1)
            writer.integer(index)
        case .place(let center, let zoom, let rotation, let size):
            writer.uint8(2)
            for value in [center.x, center.y, zoom, rotation] { writer.double(value) }
            writer.optional(size)
        case .fit(let margin):
            writer.uint8(3)
            writer.optionalDouble(margin)
        }
    }
}
