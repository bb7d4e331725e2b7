import InkCodecs
public import InkEngine

/// Assembles a task's result from its parts, in bounded memory and without trust: it checks the parts' sequence, the
/// total size and the order of the items. Pure; used by the broker.
///
/// Items are returned as soon as they are complete, so a large image is never in memory completely. Frames of blocks
/// are not decompressed and their hashes not computed; a worker that fetches a block checks it.
public struct ResultAssembler: Sendable {
    private let task: TaskID
    private let attempt: UInt32
    public let kind: ResultKind
    private let limitBytes: UInt64
    private let itemLimitBytes: UInt64
    private var nextSequence: UInt32 = 0
    private var pending: [UInt8] = []
    private var progress = Progress.open(images: 0, chunks: 0)
    /// Bytes received so far.
    public private(set) var receivedBytes: UInt64 = 0

    private enum Progress: Hashable, Sendable {
        /// Images received so far, and chunks of the next one.
        case open(images: Int, chunks: Int)
        /// A band is there, and only pixels or further bands may follow.
        case hasBand
        case complete
    }

    /// For the result of an attempt at a task, of at most `limitBytes` bytes (see `ResultLimit`), and at most
    /// `itemLimitBytes` for each item.
    public init(task: TaskID, attempt: UInt32, kind: ResultKind, limitBytes: UInt64, itemLimitBytes: UInt64? = nil) {
        self.task = task
        self.attempt = attempt
        self.kind = kind
        self.limitBytes = limitBytes
        self.itemLimitBytes = min(limitBytes, itemLimitBytes ?? limitBytes)
    }

    /// Takes the next part; returns the completed items.
    ///
    /// - Throws: `outOfSequence` for a part of another task or attempt or with another sequence number, `overLimit`
    ///   for too many bytes, and `badValue` or `outOfSequence` for content that is not the expected kind of result.
    ///   After an error the result is lost.
    public mutating func append(_ part: ResultPart) throws(ProtocolError) -> [ResultItem] {
        guard part.task == task, part.attempt == attempt else {
            throw .outOfSequence(
                what: "result part", found: "of task \(part.task) attempt \(part.attempt)",
                expected: "of task \(task) attempt \(attempt)")
        }
        guard part.sequence == nextSequence else {
            throw .outOfSequence(what: "result part", found: "\(part.sequence)", expected: "\(nextSequence)")
        }
        nextSequence += 1
        receivedBytes += UInt64(part.bytes.count)
        guard receivedBytes <= limitBytes else {
            throw .overLimit(what: "result", found: receivedBytes, limit: limitBytes)
        }
        // Most results are one part, which is read in place.
        if pending.isEmpty { pending = part.bytes } else { pending.append(contentsOf: part.bytes) }
        return try takeItems()
    }

    /// Checks that the result is complete when the worker reports its end.
    ///
    /// - Throws: `outOfSequence`.
    public func finish(_ done: TaskDone) throws(ProtocolError) {
        guard done.task == task, done.attempt == attempt else {
            throw .outOfSequence(
                what: "end", found: "of task \(done.task) attempt \(done.attempt)",
                expected: "of task \(task) attempt \(attempt)")
        }
        guard done.partCount == nextSequence, done.resultBytes == receivedBytes else {
            throw .outOfSequence(
                what: "end of result", found: "after \(receivedBytes) bytes in \(nextSequence) parts",
                expected: "\(done.resultBytes) bytes in \(done.partCount) parts")
        }
        guard pending.isEmpty, progress == .complete else {
            throw .outOfSequence(what: "end of result", found: "inside an item", expected: "a whole result")
        }
    }

    private mutating func takeItems() throws(ProtocolError) -> [ResultItem] {
        var items: [ResultItem] = []
        var position = 0
        while pending.count - position >= ResultItem.recordHeaderBytes {
            let tag = pending[position]
            let length = (1...4).reduce(0) { $0 | Int(pending[position + $1]) << (8 * ($1 - 1)) }
            guard UInt64(length) <= itemLimitBytes else {
                throw .overLimit(what: "result item", found: UInt64(length), limit: itemLimitBytes)
            }
            let start = position + ResultItem.recordHeaderBytes
            guard pending.count - start >= length else { break }
            let item = try ResultItem(tag: tag, content: ByteReader(pending, start..<(start + length)))
            try advance(over: item)
            items.append(item)
            position = start + length
        }
        if position == pending.count { pending = [] } else if position > 0 { pending.removeFirst(position) }
        return items
    }

    private mutating func advance(over item: ResultItem) throws(ProtocolError) {
        switch (kind, progress, item) {
        case (.decodedImages, .open(let images, let chunks), .imageChunk):
            progress = .open(images: images, chunks: chunks + 1)
        case (.decodedImages(let count), .open(let images, let chunks), .imageEnd(let image)):
            let expected = ImageSlice.chunkCount(imageHeight: image.size.height)
            guard chunks == expected else {
                throw .outOfSequence(what: "end of an image", found: "after \(chunks) chunks", expected: "\(expected)")
            }
            progress = images + 1 == count ? .complete : .open(images: images + 1, chunks: 0)
        case (.band, .open, .band), (.band, .open, .localBand), (.pixels, .open, .pixels),
            (.bandAndPixels, .hasBand, .pixels), (.pieces, _, .band), (.pieces, _, .localBand):
            progress = .complete
        case (.draft, .open, .block), (.draft, .open, .draft), (.whole, .open, .block), (.whole, .open, .draft): break
        case (.whole, .open, .band), (.whole, .open, .localBand), (.whole, .hasBand, .band),
            (.whole, .hasBand, .localBand):
            progress = .hasBand
        case (.draft, .open, .readingEnd), (.whole, .open, .readingEnd), (.whole, .hasBand, .readingEnd):
            progress = .complete
        case (.bandAndPixels, .open, .band), (.bandAndPixels, .open, .localBand): progress = .hasBand
        default:
            throw .outOfSequence(what: "result item", found: item.name, expected: "\(kind), \(progress)")
        }
    }
}

extension ResultItem {
    fileprivate var name: String {
        switch self {
        case .imageChunk: "an image's chunk"
        case .imageEnd: "an image's end"
        case .band, .localBand: "a band"
        case .pixels: "pixels"
        case .block: "a block"
        case .draft: "a draft"
        case .readingEnd: "the end of a reading"
        }
    }
}

/// Maximum size of a valid result, in bytes. The broker passes it to `ResultAssembler` and sends it with the task.
public enum ResultLimit {
    /// For a rendered or encoded band of that size. LZW makes a byte a code of up to 12 bits.
    public static func band(width: Int, rows: Int, format: PixelFormat) -> UInt64 {
        incompressible(width: 1 + width * format.bytesPerPixel, rows: rows) / 2 * 3
    }

    /// For a file of lines and areas, in pieces of `drawnPieceBytes`.
    public static let drawing = UInt64(VectorLimits.fileBytes) / 64 * 65

    /// For a piece of it.
    public static let drawnPiece = UInt64(drawnPieceBytes) + 64

    /// Bytes of each of its pieces but the last.
    public static let drawnPieceBytes = 1 << 20

    /// For the blocks and the parts of a draft.
    ///
    /// - Parameter fileBytes: the limit of the document; compressed, what it holds takes no more than it.
    public static func draft(fileBytes: Int) -> UInt64 {
        let parts = UInt64(ProtocolLimits.draftParts * ProtocolLimits.draftPartBytes)
        // A limit may be set to any number.
        let blocks = 4 * min(UInt64(max(1 << 24, fileBytes)), ProtocolLimits.resultBytes)
        return min(blocks + parts, ProtocolLimits.resultBytes)
    }

    /// For a draft in the process, with the blocks for which there was no room there.
    public static let localDraft: UInt64 = 1 << 40

    /// For a tile's pixels.
    public static func pixels(size: PixelSize, format: PixelFormat) -> UInt64 {
        incompressible(width: size.width * format.bytesPerPixel, rows: size.height)
    }

    /// For one chunk of a decoded image of that width, in any format with pixels of at most so many bytes.
    public static func chunk(imageWidth: Int, bytesPerPixel: Int) -> UInt64 {
        incompressible(width: imageWidth * bytesPerPixel, rows: ImageSlice.rowsPerChunk)
    }

    /// For a decoded image of that size, in any format with pixels of at most so many bytes.
    public static func image(size: PixelSize, bytesPerPixel: Int) -> UInt64 {
        let chunks = UInt64(ImageSlice.chunkCount(imageHeight: size.height))
        return incompressible(width: size.width * bytesPerPixel, rows: size.height) + chunks * 1024
    }

    /// Deflate and zstd expand incompressible data by well under 1/64, and a band by a few bytes per flush.
    private static func incompressible(width: Int, rows: Int) -> UInt64 {
        let bytes = UInt64(max(0, width)) * UInt64(max(0, rows))
        return bytes + bytes / 64 + 65_536
    }
}
