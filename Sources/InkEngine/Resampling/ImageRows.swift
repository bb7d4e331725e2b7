import Glibc

/// The samples of a decoded image's rows, with everything that a hostile task could have wrong about them checked.
struct ImageRows {
    /// The longest edge of an image that can be scaled, pixels; what a row's and a kernel's memory is bounded by.
    static let edgePixelsMax = 1_000_000

    let size: PixelSize
    let format: SampleFormat
    /// The image rows that are there.
    let rows: Range<Int>
    private let firstChunk: Int
    private let chunks: [Chunk]

    private enum Chunk {
        case constant(UInt32)
        case samples([UInt8])
    }

    /// One row: either all pixels are equal, or samples.
    enum Row {
        case constant(UInt32)
        case samples(UnsafePointer<UInt8>)
    }

    /// Takes the chunks of `slice`, whose blocks `block` supplies decompressed.
    ///
    /// - Throws: `internalError` when the slice contradicts itself or a block has not the size of its rows; what
    ///   `block` throws.
    init(_ slice: ImageSlice, block: (BlockID) throws(EngineError) -> [UInt8]) throws(EngineError) {
        let size = slice.size
        let edges = 1...Self.edgePixelsMax
        guard edges.contains(size.width) && edges.contains(size.height) else {
            throw .internalError("an image of \(size) pixels cannot be scaled; its edges may be \(edges) pixels")
        }
        let chunkCount = (size.height + ImageSlice.rowsPerChunk - 1) / ImageSlice.rowsPerChunk
        guard slice.firstChunk >= 0, slice.firstChunk <= chunkCount,
            slice.chunks.count <= chunkCount - slice.firstChunk
        else {
            throw .internalError(
                "chunks \(slice.firstChunk) and \(slice.chunks.count) from there are not in an image of \(size) pixels")
        }
        var chunks: [Chunk] = []
        for (position, chunk) in slice.chunks.enumerated() {
            switch chunk {
            case .constant(let value): chunks.append(.constant(value))
            case .samples(let id):
                let samples = try block(id)
                let rows = ImageSlice.rows(ofChunk: slice.firstChunk + position, imageHeight: size.height).count
                guard samples.count == rows * size.width * slice.format.bytesPerPixel else {
                    throw .internalError(
                        "block \(id) has \(samples.count) bytes, which are not \(rows) rows of \(size.width) pixels")
                }
                chunks.append(.samples(samples))
            }
        }
        self.size = size
        self.format = slice.format
        self.rows = slice.rows
        self.firstChunk = slice.firstChunk
        self.chunks = chunks
    }

    /// Gives `body` the image row `y`, which must be one of `rows`.
    func withRow<Result>(_ y: Int, _ body: (Row) -> Result) -> Result {
        let position = y / ImageSlice.rowsPerChunk - firstChunk
        switch chunks[position] {
        case .constant(let value): return body(.constant(value))
        case .samples(let samples):
            let offset = (y % ImageSlice.rowsPerChunk) * size.width * format.bytesPerPixel
            return samples.withUnsafeBufferPointer { body(.samples($0.baseAddress! + offset)) }
        }
    }

    /// The row after the last one of the chunk that row `y` is in, of a tall enough image.
    static func chunkEnd(after y: Int) -> Int { (y / ImageSlice.rowsPerChunk + 1) * ImageSlice.rowsPerChunk }

    /// The value that all pixels of the rows have, when whole chunks say so; nil otherwise.
    func constant(over rows: Range<Int>) -> UInt32? {
        var value: UInt32?
        for index in (rows.lowerBound / ImageSlice.rowsPerChunk)...((rows.upperBound - 1) / ImageSlice.rowsPerChunk) {
            guard case .constant(let found) = chunks[index - firstChunk], value == nil || value == found else {
                return nil
            }
            value = found
        }
        return value
    }

    /// True when a mask of 8 bits is 1 in all of some columns of rows, false when it is 0 there; nil otherwise.
    func isOne(_ rows: Range<Int>, columns: Range<Int>) -> Bool? {
        guard format == .mask8 else { return nil }
        var value: UInt8?
        for y in rows {
            let found: UInt8? = withRow(y) { row in
                switch row {
                case .constant(let value): UInt8(truncatingIfNeeded: value)
                case .samples(let samples):
                    // All are equal when each equals the next one.
                    memcmp(samples + columns.lowerBound, samples + columns.lowerBound + 1, columns.count - 1) == 0
                        ? samples[columns.lowerBound] : nil
                }
            }
            guard let found, found == 0 || found == 255, value == nil || value == found else { return nil }
            value = found
        }
        return value.map { $0 == 255 }
    }

    /// Whether the rows `y` and `y - 1` are alike because they are of one constant chunk.
    func repeatsPrevious(_ y: Int) -> Bool {
        guard y % ImageSlice.rowsPerChunk != 0, y - 1 >= rows.lowerBound,
            case .constant = chunks[y / ImageSlice.rowsPerChunk - firstChunk]
        else { return false }
        return true
    }
}
