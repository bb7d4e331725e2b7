import Glibc

/// The samples of a decoded image's rows. Everything that a malicious task could get wrong has been checked.
package struct ImageRows {
    /// The longest edge of an image that can be scaled, in pixels. It limits the memory of a row and of a kernel.
    static let edgePixelsMax = 1_000_000

    package let size: PixelSize
    package let format: SampleFormat
    /// The image rows that are available.
    let rows: Range<Int>
    private let firstChunk: Int
    private let chunks: [Chunk]

    private enum Chunk {
        case constant(UInt32)
        case samples([UInt8])
    }

    /// One row: a single value for all pixels, or samples.
    package enum Row {
        case constant(UInt32)
        case samples(UnsafePointer<UInt8>)
    }

    /// Uses the chunks of `slice`; `block` returns their decompressed blocks.
    ///
    /// - Throws: `internalError` if the slice is inconsistent or a block does not have the size of its rows; errors of
    ///   `block`.
    package init(_ slice: ImageSlice, block: (BlockID) throws(EngineError) -> [UInt8]) throws(EngineError) {
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

    /// The rows of one chunk of an image of that size.
    ///
    /// - Throws: `internalError` if no image of that size has such a chunk.
    init(_ chunk: DecodedChunk, of size: PixelSize) throws(EngineError) {
        var isSound = chunk.rows == ImageSlice.rows(ofChunk: chunk.index, imageHeight: size.height)
        if case .samples(let samples) = chunk.content {
            isSound = isSound && samples.count == chunk.rows.count * size.width * chunk.format.bytesPerPixel
        }
        guard isSound else {
            throw .internalError("rows \(chunk.rows) were decoded that are not those of an image of \(size) pixels")
        }
        self.size = size
        format = chunk.format
        rows = chunk.rows
        firstChunk = chunk.index
        switch chunk.content {
        case .constant(let value): chunks = [.constant(value)]
        case .samples(let samples): chunks = [.samples(samples)]
        }
    }

    /// Passes the image row `y`, which must be in `rows`, to `body`.
    package func withRow<Result>(_ y: Int, _ body: (Row) -> Result) -> Result {
        let position = y / ImageSlice.rowsPerChunk - firstChunk
        switch chunks[position] {
        case .constant(let value): return body(.constant(value))
        case .samples(let samples):
            let offset = (y % ImageSlice.rowsPerChunk) * size.width * format.bytesPerPixel
            return samples.withUnsafeBufferPointer { body(.samples($0.baseAddress! + offset)) }
        }
    }

    /// The row after the last one of the chunk that contains row `y`, if the image is tall enough.
    static func chunkEnd(after y: Int) -> Int { (y / ImageSlice.rowsPerChunk + 1) * ImageSlice.rowsPerChunk }

    /// The value of all pixels of the rows, if constant chunks determine it; nil otherwise.
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

    /// True if a mask is 1 in the given rows and columns, false if it is 0 there; nil otherwise.
    func isOne(_ rows: Range<Int>, columns: Range<Int>) -> Bool? {
        let byteCount = format.bytesPerPixel
        var value: Float?
        for y in rows {
            let constant: UInt32? = withRow(y) { row in
                switch row {
                case .constant(let value): return value
                case .samples(let samples):
                    let first = samples + columns.lowerBound * byteCount
                    // All are equal if each equals the next.
                    guard memcmp(first, first + byteCount, (columns.count - 1) * byteCount) == 0 else { return nil }
                    return (0..<byteCount).reduce(0) { $0 | UInt32(first[$1]) << (8 * UInt32($1)) }
                }
            }
            guard let found = constant.map(format.maskValue), found == 0 || found >= 1, value == nil || value == found
            else { return nil }
            value = found
        }
        return value.map { $0 >= 1 }
    }

    /// Whether the rows `y` and `y - 1` are equal because they belong to one constant chunk.
    func repeatsPrevious(_ y: Int) -> Bool {
        guard y % ImageSlice.rowsPerChunk != 0, y - 1 >= rows.lowerBound,
            case .constant = chunks[y / ImageSlice.rowsPerChunk - firstChunk]
        else { return false }
        return true
    }
}
