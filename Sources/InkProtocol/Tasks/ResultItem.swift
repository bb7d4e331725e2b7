public import InkCodecs
public import InkEngine

/// The kind of result that is expected of a task.
public enum ResultKind: Hashable, Sendable {
    /// One `imageChunk` for every 64 rows from the top, then `imageEnd`; so many times.
    case decodedImages(Int)
    /// One `band`, or one `localBand`.
    case band
    /// One `pixels`.
    case pixels
    /// As `band`, then as `pixels`.
    case bandAndPixels
    /// Pieces of a file in order, at least one: each as `band`.
    case pieces
    /// A `block` for each block of a draft and a `draft` for each of its parts, in any order, then `readingEnd`.
    case draft
    /// As `draft`; or only the parts of the draft, then pieces in order, each as `band`, then `readingEnd`.
    case whole
}

extension WorkerTask {
    /// The kind of result of the task.
    public var resultKind: ResultKind {
        switch self {
        case .decode(let task): .decodedImages(max(1, task.scalings.count))
        case .encode, .finish: .band
        case .draw: .pieces
        case .read: .draft
        case .whole: .whole
        case .render(let task):
            switch task.delivery {
            case .band: .band
            case .pixels: .pixels
            case .bandAndPixels: .bandAndPixels
            }
        }
    }
}

/// One item of a task's result. A result is a short sequence of items, see `ResultKind`.
public enum ResultItem: Hashable, Sendable {
    case imageChunk(ChunkPixels<Block>)
    /// The number of preceding chunks is that of an image of this height.
    case imageEnd(DecodedImageInfo)
    case band(EncodedPiece)
    /// A band whose bytes are in a local block of this name; its own are empty.
    case localBand(EncodedPiece, BlockID)
    /// A tile's samples, row-major without padding.
    case pixels(Block)
    /// A block that the draft refers to.
    case block(Block)
    /// A part of the draft, or a local block that is the draft.
    case draft(Block)
    case readingEnd(ReadingEnd)
}

/// What else has come of reading a document.
public struct ReadingEnd: Hashable, Sendable {
    /// What the reader has left out or changed, one line each.
    public var warnings: [String]
    /// What the reader needs beside the document; if there is any, there is no draft.
    public var requests: [CompanionRequest]
    /// Why there is no picture of the document: `badInput`, `overLimit`, or the `io` of a file beside it.
    public var failure: EngineError?

    public init(warnings: [String] = [], requests: [CompanionRequest] = [], failure: EngineError? = nil) {
        self.warnings = warnings
        self.requests = requests
        self.failure = failure
    }
}

extension ResultItem {
    /// Whether it is a part of a draft, which no task needs.
    public var isDraft: Bool { if case .draft = self { true } else { false } }

    /// The block in the item; nil if there is none.
    public var block: Block? {
        switch self {
        case .imageChunk(.samples(let block)), .pixels(let block), .block(let block), .draft(let block): block
        case .localBand(_, let id): Block(id: id, frame: [])
        case .imageChunk(.constant), .imageEnd, .band, .readingEnd: nil
        }
    }
}

/// In a result's byte stream every item is a record: 1 byte tag, 4 bytes length of the content, the content.
extension ResultItem {
    static let recordHeaderBytes = 5

    /// The item as a record.
    ///
    /// - Throws: `overLimit` if the content does not fit a record's 32-bit length.
    public func encodedRecord() throws(ProtocolError) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(tag)
        writer.uint32(0)
        write(to: &writer)
        let length = writer.bytes.count - ResultItem.recordHeaderBytes
        guard let length = UInt32(exactly: length) else {
            throw .overLimit(what: "result item", found: UInt64(length), limit: UInt64(UInt32.max))
        }
        writer.overwriteUInt32(length, at: 1)
        return writer.bytes
    }

    /// The names of the local blocks in the records at the beginning of `bytes`.
    static func localBlocks(in bytes: [UInt8]) -> [BlockID] {
        var names: [BlockID] = []
        var position = 0
        while position + recordHeaderBytes <= bytes.count {
            let start = position + recordHeaderBytes
            let length = (1...4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * ($1 - 1)) }
            guard length <= bytes.count - start else { break }
            // A local block consists only of its name, which is also the end of a local band.
            let isBlock = length == 32 && [2, 5, 7, 8].contains(bytes[position])
            if isBlock || (length > 32 && bytes[position] == 6) {
                names.append(BlockID(digest: Array(bytes[(start + length - 32)..<(start + length)])))
            }
            position = start + length
        }
        return names
    }

    private var tag: UInt8 {
        switch self {
        case .imageChunk(.constant): 1
        case .imageChunk(.samples): 2
        case .imageEnd: 3
        case .band: 4
        case .pixels: 5
        case .localBand: 6
        case .block: 7
        case .draft: 8
        case .readingEnd: 9
        }
    }

    private func write(to writer: inout ByteWriter) {
        switch self {
        case .imageChunk(.constant(let value)): writer.uint32(value)
        case .imageChunk(.samples(let block)), .pixels(let block), .block(let block), .draft(let block):
            writer.reserve(32 + block.frame.count)
            block.id.write(to: &writer)
            writer.raw(block.frame)
        case .imageEnd(let image):
            image.size.write(to: &writer)
            writer.uint8(image.format.rawValue)
            writer.optional(image.maskBounds)
        case .band(let band):
            writer.reserve(32 + band.bytes.count)
            band.writeHeader(to: &writer)
            writer.raw(band.bytes)
        case .readingEnd(let end):
            let warnings = end.warnings.prefix(ProtocolLimits.companions)
            writer.integer(warnings.count)
            for warning in warnings { writer.text(warning, limit: ProtocolLimits.textBytes) }
            writer.array(end.requests)
            writer.optional(end.failure)
        case .localBand(let band, let id):
            band.writeHeader(to: &writer)
            id.write(to: &writer)
        }
    }

    /// Reads the content of a record.
    init(tag: UInt8, content: ByteReader) throws(ProtocolError) {
        var reader = content
        switch tag {
        case 1: self = .imageChunk(.constant(try reader.uint32("constant")))
        case 2: self = .imageChunk(.samples(try ResultItem.block(from: &reader)))
        case 3: self = .imageEnd(try ResultItem.image(from: &reader))
        case 4:
            var band = try EncodedPiece(header: &reader)
            band.bytes = reader.rest()
            self = .band(band)
        case 5: self = .pixels(try ResultItem.block(from: &reader))
        case 6: self = .localBand(try EncodedPiece(header: &reader), try BlockID(from: &reader))
        case 7: self = .block(try ResultItem.block(from: &reader))
        case 8: self = .draft(try ResultItem.block(from: &reader))
        case 9: self = .readingEnd(try ResultItem.readingEnd(from: &reader))
        default: throw .badValue(what: "result item", offset: 0, found: "tag \(tag)", expected: "1 to 9")
        }
        try reader.finish("result item")
    }

    private static func image(from reader: inout ByteReader) throws(ProtocolError) -> DecodedImageInfo {
        let size = try PixelSize(from: &reader)
        let format: SampleFormat = try reader.enumeration("sample format")
        let start = reader.offset
        let bounds: PixelRect? = try reader.optional("has mask bounds")
        if let bounds, !bounds.lies(in: size) {
            throw .badValue(
                what: "mask bounds", offset: start, found: "\(bounds)", expected: "a rectangle inside \(size)")
        }
        return DecodedImageInfo(size: size, format: format, maskBounds: bounds)
    }

    private static func readingEnd(from reader: inout ByteReader) throws(ProtocolError) -> ReadingEnd {
        let count = try reader.count("warnings", elementBytes: 1, limit: ProtocolLimits.companions)
        var end = ReadingEnd()
        for _ in 0..<count { end.warnings.append(try reader.text("warning", limit: ProtocolLimits.textBytes)) }
        end.requests = try reader.array("requests", elementBytes: 2, limit: ProtocolLimits.companions)
        end.failure = try reader.optional("has failure")
        return end
    }

    private static func block(from reader: inout ByteReader) throws(ProtocolError) -> Block {
        let id = try BlockID(from: &reader)
        return Block(id: id, frame: reader.rest())
    }
}

extension EncodedPiece {
    /// Everything except the bytes.
    fileprivate func writeHeader(to writer: inout ByteWriter) {
        writer.integer(rowCount)
        writer.integer(rawByteCount)
        writer.uint32(adler32)
    }

    fileprivate init(header reader: inout ByteReader) throws(ProtocolError) {
        let rowCount = try reader.integer("row count", in: 1...ProtocolLimits.edgePixels)
        let rawByteCount = try reader.integer("raw byte count", in: 1...Int.max)
        self.init(
            rowCount: rowCount, rawByteCount: rawByteCount, adler32: try reader.uint32("adler32"), bytes: [])
    }
}
