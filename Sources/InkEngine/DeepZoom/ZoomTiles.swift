/// The form of a piece of tiles: their number and the length of each (4 bytes, little-endian), then the tiles, which are
/// whole JPEG or PNG files.
enum ZoomPiece {
    private static let lengthBytes = 4

    static func join(_ tiles: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tiles.reduce(lengthBytes) { $0 + lengthBytes + $1.count })
        bytes += littleEndian(UInt32(tiles.count))
        for tile in tiles { bytes += littleEndian(UInt32(tile.count)) }
        for tile in tiles { bytes += tile }
        return bytes
    }

    /// Where the tiles are; nil if the bytes are not a piece of so many.
    static func ranges(in piece: ArraySlice<UInt8>, count: Int) -> [Range<Int>]? {
        guard count >= 0, piece.count / lengthBytes > count, piece.starts(with: littleEndian(UInt32(count))) else {
            return nil
        }
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(count)
        var start = piece.startIndex + (count + 1) * lengthBytes
        for index in 1..<(count + 1) {
            let at = piece.startIndex + index * lengthBytes
            let length = piece[at..<(at + lengthBytes)].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, length <= piece.endIndex - start else { return nil }
            ranges.append(start..<(start + length))
            start += length
        }
        return start == piece.endIndex ? ranges : nil
    }

    /// The number of tiles in the piece of a band.
    static func tileCount(rowCount: Int, width: Int, tile: Int) -> Int {
        let height = ZoomPyramid.blockRows(tile: tile)
        var count = 0
        for start in stride(from: 0, to: rowCount, by: height) {
            let rows = PixelSize(width: width, height: min(height, rowCount - start))
            for level in 0..<ZoomPyramid.blockLevels(tile: tile) {
                count += ZoomPyramid.grid(rows.halved(level), tile: tile).area
            }
        }
        return count
    }
}

/// Makes the tiles of pictures for zooming; used by one thread.
final class ZoomTileEncoder: PieceEncoder {
    private let bands = BandEncoder()

    /// The tiles of a band's own levels, block by block.
    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        let rowBytes = rows.width * rows.format.bytesPerPixel
        guard let base = rows.pixels.baseAddress, rows.width > 0, rows.pixels.count > 0,
            rows.pixels.count % rowBytes == 0
        else { throw .internalError("\(rows.pixels.count) bytes are not rows of \(rows.width) pixels") }
        let rowCount = rows.pixels.count / rowBytes
        let edge = encoding.picture.zoomTile
        let blockRows = ZoomPyramid.blockRows(tile: edge)
        guard rows.firstRow % blockRows == 0 else {
            throw .internalError("row \(rows.firstRow) is not the first of \(blockRows)")
        }
        var tiles: [[UInt8]] = []
        for start in stride(from: 0, to: rowCount, by: blockRows) {
            var size = PixelSize(width: rows.width, height: min(blockRows, rowCount - start))
            let pixels = base.assumingMemoryBound(to: UInt8.self) + start * rowBytes
            try append(pixels, size, rows.format, encoding.picture, to: &tiles)
            var level: [UInt8] = []
            for number in 1..<ZoomPyramid.blockLevels(tile: edge) {
                level =
                    number == 1
                    ? BoxShrink.halved(pixels, size, rows.format)
                    : level.withUnsafeBufferPointer { BoxShrink.halved($0.baseAddress!, size, rows.format) }
                size = size.halved(1)
                try level.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                    try append(bytes.baseAddress!, size, rows.format, encoding.picture, to: &tiles)
                }
            }
        }
        return EncodedPiece(
            rowCount: rowCount, rawByteCount: rows.pixels.count, adler32: Adler32.empty, bytes: ZoomPiece.join(tiles))
    }

    /// Appends the tiles of a part of a level, row by row.
    fileprivate func append(
        _ pixels: UnsafePointer<UInt8>, _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding,
        to tiles: inout [[UInt8]]
    ) throws(EngineError) {
        let (edge, rowBytes) = (encoding.zoomTile, size.width * format.bytesPerPixel)
        for y in stride(from: 0, to: size.height, by: edge) {
            for x in stride(from: 0, to: size.width, by: edge) {
                let tile = PixelSize(width: min(edge, size.width - x), height: min(edge, size.height - y))
                let tileBytes = tile.width * format.bytesPerPixel
                let cut = [UInt8](unsafeUninitializedCapacity: tileBytes * tile.height) { into, count in
                    for row in 0..<tile.height {
                        let from = pixels + (y + row) * rowBytes + x * format.bytesPerPixel
                        into.baseAddress!.advanced(by: row * tileBytes).update(from: from, count: tileBytes)
                    }
                    count = tileBytes * tile.height
                }
                tiles.append(try file(cut, tile, format, encoding))
            }
        }
    }

    /// A tile's file.
    private func file(
        _ pixels: [UInt8], _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding
    ) throws(EngineError) -> [UInt8] {
        switch encoding.zoomTileFormat(format) {
        case .jpeg:
            return try pixels.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                try JPEGPieceEncoder.file(UnsafeRawBufferPointer(bytes), size, format, encoding, density: nil)
            }
        default:
            let band = try bands.encode(
                pixels: pixels, width: size.width, format: format,
                encoding: PieceEncoding(PictureEncoding(effort: encoding.effort), isLast: true))
            return try PNGStream.prologue(size: size, format: format, description: PictureDescription())
                + PNGStream.idat(band.bytes, isFirst: true) + PNGStream.epilogue(adler32: band.adler32)
        }
    }

    /// The piece with the upper levels, which do not come from bands. It holds a row of tiles of each level at a time.
    func encodeTop(_ picture: WholePicture, _ pyramid: ZoomPyramid, _ encoding: PictureEncoding) throws(EngineError)
        -> [UInt8]
    {
        let top = Top(pyramid, firstLevel: picture.halvings, picture.format, encoding, self)
        try picture.read { (rows) throws(EngineError) in
            let rowBytes = rows.width * rows.format.bytesPerPixel
            guard let base = rows.pixels.baseAddress, rows.width == pyramid.size(ofLevel: picture.halvings).width else {
                throw .internalError("rows of \(rows.width) pixels of a picture of \(picture.size)")
            }
            for start in stride(from: 0, to: rows.pixels.count, by: rowBytes) {
                try top.take(base.assumingMemoryBound(to: UInt8.self) + start, level: picture.halvings)
            }
        }
        return ZoomPiece.join(try top.end())
    }

    /// The levels of a picture that arrives row by row.
    private final class Top {
        private struct Level {
            var size: PixelSize
            /// Whether it has tiles here; else it only leads to the next one.
            var isWanted: Bool
            var rowsTaken = 0
            /// Rows of the next tiles.
            var strip: [UInt8] = []
            /// A row that waits for the one under it.
            var waiting: [UInt8]?
            var tiles: [[UInt8]] = []
        }

        private let first: Int
        private let format: PixelFormat
        private let encoding: PictureEncoding
        private let encoder: ZoomTileEncoder
        private var levels: [Level]

        init(
            _ pyramid: ZoomPyramid, firstLevel: Int, _ format: PixelFormat, _ encoding: PictureEncoding,
            _ encoder: ZoomTileEncoder
        ) {
            first = firstLevel
            self.format = format
            self.encoding = encoding
            self.encoder = encoder
            levels = (firstLevel..<max(firstLevel + 1, pyramid.levelCount)).map {
                Level(
                    size: pyramid.size(ofLevel: $0),
                    isWanted: $0 >= pyramid.blockLevels && $0 < pyramid.levelCount)
            }
        }

        func take(_ row: UnsafePointer<UInt8>, level: Int) throws(EngineError) {
            let index = level - first
            let width = levels[index].size.width
            let rowBytes = width * format.bytesPerPixel
            guard levels[index].rowsTaken < levels[index].size.height else {
                throw .internalError("more rows than a picture of \(levels[0].size) has")
            }
            levels[index].rowsTaken += 1
            if levels[index].isWanted {
                levels[index].strip += UnsafeBufferPointer(start: row, count: rowBytes)
                if levels[index].strip.count == rowBytes * encoding.zoomTile { try cut(index) }
            }
            guard index + 1 < levels.count else { return }
            if let above = levels[index].waiting {
                levels[index].waiting = nil
                try above.withUnsafeBufferPointer { (above) throws(EngineError) in
                    try pass(above.baseAddress!, row, width, to: level + 1)
                }
            } else if levels[index].rowsTaken == levels[index].size.height {
                try pass(row, row, width, to: level + 1)
            } else {
                levels[index].waiting = Array(UnsafeBufferPointer(start: row, count: rowBytes))
            }
        }

        private func pass(
            _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, _ width: Int, to level: Int
        ) throws(EngineError) {
            let count = (width + 1) / 2 * format.bytesPerPixel
            let half = [UInt8](unsafeUninitializedCapacity: count) { into, made in
                BoxShrink.halve(upper, lower, width: width, format, into: into.baseAddress!)
                made = count
            }
            try half.withUnsafeBufferPointer { (half) throws(EngineError) in
                try take(half.baseAddress!, level: level)
            }
        }

        private func cut(_ index: Int) throws(EngineError) {
            let width = levels[index].size.width
            let strip = levels[index].strip
            levels[index].strip.removeAll(keepingCapacity: true)
            guard !strip.isEmpty else { return }
            let size = PixelSize(width: width, height: strip.count / (width * format.bytesPerPixel))
            var tiles: [[UInt8]] = []
            try strip.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                try encoder.append(bytes.baseAddress!, size, format, encoding, to: &tiles)
            }
            levels[index].tiles += tiles
        }

        func end() throws(EngineError) -> [[UInt8]] {
            for index in levels.indices {
                guard levels[index].rowsTaken == levels[index].size.height else {
                    throw .internalError("\(levels[index].rowsTaken) rows of a picture of \(levels[index].size)")
                }
                try cut(index)
            }
            return levels.flatMap(\.tiles)
        }
    }
}
