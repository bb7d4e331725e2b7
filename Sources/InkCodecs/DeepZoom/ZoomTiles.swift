import InkEngine

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

    /// Appends the tiles of a part of a level, row by row, which do not overlap.
    private func append(
        _ pixels: UnsafePointer<UInt8>, _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding,
        to tiles: inout [[UInt8]]
    ) throws(EngineError) {
        let (edge, rowBytes) = (encoding.zoomTile, size.width * format.bytesPerPixel)
        for y in stride(from: 0, to: size.height, by: edge) {
            let row = PixelSize(width: size.width, height: min(edge, size.height - y))
            try appendRow(pixels + y * rowBytes, row, format, encoding, to: &tiles)
        }
    }

    /// Appends one row of tiles.
    ///
    /// - Parameter size: of the row, with what its tiles have in common with those above and below.
    fileprivate func appendRow(
        _ pixels: UnsafePointer<UInt8>, _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding,
        to tiles: inout [[UInt8]]
    ) throws(EngineError) {
        let (edge, rowBytes) = (encoding.zoomTile, size.width * format.bytesPerPixel)
        for start in stride(from: 0, to: size.width, by: edge) {
            let x = max(0, start - encoding.tileOverlap)
            let tile = PixelSize(
                width: min(size.width, start + edge + encoding.tileOverlap) - x, height: size.height)
            let tileBytes = tile.width * format.bytesPerPixel
            let cut = [UInt8](unsafeUninitializedCapacity: tileBytes * tile.height) { into, count in
                for row in 0..<tile.height {
                    let from = pixels + row * rowBytes + x * format.bytesPerPixel
                    into.baseAddress!.advanced(by: row * tileBytes).update(from: from, count: tileBytes)
                }
                count = tileBytes * tile.height
            }
            tiles.append(try file(cut, tile, format, encoding))
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

    /// The piece with the upper levels, which do not come from bands, and the file of all of the picture, where there is
    /// one. It holds a row of tiles of each level at a time.
    func encodeTop(_ picture: WholePicture, _ pyramid: ZoomPyramid, _ encoding: PictureEncoding) throws(EngineError)
        -> [UInt8]
    {
        let top = try Top(pyramid, firstLevel: picture.halvings, picture.format, encoding, self)
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
            /// Rows of the next row of tiles, as far as they have come.
            var strip: [UInt8] = []
            /// The row of the level with which the strip begins.
            var stripStart = 0
            var tileRows = 0
            /// A row that waits for the one under it.
            var waiting: [UInt8]?
            var tiles: [[UInt8]] = []
            /// The file of all of the picture, if it is of this level.
            var whole: StreamedPicture?
        }

        private let first: Int
        private let format: PixelFormat
        private let encoding: PictureEncoding
        private let encoder: ZoomTileEncoder
        private var levels: [Level]

        init(
            _ pyramid: ZoomPyramid, firstLevel: Int, _ format: PixelFormat, _ encoding: PictureEncoding,
            _ encoder: ZoomTileEncoder
        ) throws(EngineError) {
            first = firstLevel
            self.format = format
            self.encoding = encoding
            self.encoder = encoder
            levels = (firstLevel..<max(firstLevel + 1, pyramid.levelCount)).map {
                Level(
                    size: pyramid.size(ofLevel: $0),
                    isWanted: $0 >= pyramid.blockLevels && $0 < pyramid.levelCount)
            }
            if let level = pyramid.wholeLevel {
                guard level >= firstLevel else {
                    throw .internalError("a picture halved \(firstLevel) times, \(level) are wanted")
                }
                var own = PictureEncoding(
                    format: encoding.zoomTileFormat(format), effort: encoding.effort, quality: encoding.quality,
                    chroma: encoding.chroma)
                if own.format == .png { (own.quality, own.chroma) = (nil, nil) }
                levels[level - firstLevel].whole = try StreamedPicture(
                    PictureHead(size: pyramid.size(ofLevel: level), pixels: format, encoding: own))
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
            try levels[index].whole?.take(UnsafeBufferPointer(start: row, count: rowBytes))
            if levels[index].isWanted {
                levels[index].strip += UnsafeBufferPointer(start: row, count: rowBytes)
                let end = (levels[index].tileRows + 1) * encoding.zoomTile + encoding.tileOverlap
                if levels[index].rowsTaken == end { try cut(index) }
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

        /// Makes a row of tiles, and keeps what the next one has in common with it.
        private func cut(_ index: Int) throws(EngineError) {
            let level = levels[index]
            let rowBytes = level.size.width * format.bytesPerPixel
            var tiles: [[UInt8]] = []
            try level.strip.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                let size = PixelSize(width: level.size.width, height: bytes.count / rowBytes)
                try encoder.appendRow(bytes.baseAddress!, size, format, encoding, to: &tiles)
            }
            let next = max(0, (level.tileRows + 1) * encoding.zoomTile - encoding.tileOverlap)
            levels[index].strip.removeFirst(min(level.strip.count, (next - level.stripStart) * rowBytes))
            levels[index].stripStart = next
            levels[index].tileRows += 1
            levels[index].tiles += tiles
        }

        func end() throws(EngineError) -> [[UInt8]] {
            for index in levels.indices {
                guard levels[index].rowsTaken == levels[index].size.height else {
                    throw .internalError("\(levels[index].rowsTaken) rows of a picture of \(levels[index].size)")
                }
                let isCut = levels[index].tileRows * encoding.zoomTile >= levels[index].size.height
                if levels[index].isWanted, !isCut { try cut(index) }
            }
            var files = levels.flatMap(\.tiles)
            for level in levels { if let whole = level.whole { files.append(try whole.end()) } }
            return files
        }
    }
}

/// A picture's file in memory, made while its rows arrive: only packed rows and a band of others are held.
private final class StreamedPicture {
    private let head: PictureHead
    private let encoder: any PieceEncoder
    private var assembler: any PictureAssembler
    private let bandRows: Int
    private var band: [UInt8] = []
    private var rowsTaken = 0
    private var bytes: [UInt8] = []

    /// A multiple of the rows that any format wants together.
    private static let bandRows = 128

    /// - Parameter head: of a tile format, which are made piece by piece and only appended to.
    init(_ head: PictureHead) throws(EngineError) {
        let codec: any PictureCodec = head.encoding.format == .jpeg ? JPEGCodec() : PNGCodec()
        self.head = head
        encoder = codec.makeEncoder()
        assembler = try codec.makeAssembler(head)
        let multiple = codec.rowMultiple(head.encoding)
        bandRows = max(multiple, StreamedPicture.bandRows / multiple * multiple)
        try carryOut(assembler.begin())
    }

    func take(_ row: UnsafeBufferPointer<UInt8>) throws(EngineError) {
        band += row
        rowsTaken += 1
        if rowsTaken % bandRows == 0 || rowsTaken == head.size.height { try encode() }
    }

    private func encode() throws(EngineError) {
        let isLast = rowsTaken == head.size.height
        let count = band.count / (head.size.width * head.pixels.bytesPerPixel)
        let piece = try band.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            let rows = PixelRows(
                pixels: UnsafeRawBufferPointer(bytes), width: head.size.width, format: head.pixels,
                firstRow: rowsTaken - count)
            return try encoder.encode(rows, PieceEncoding(head.encoding, isLast: isLast))
        }
        band.removeAll(keepingCapacity: true)
        try carryOut(assembler.add(piece))
    }

    func end() throws(EngineError) -> [UInt8] {
        try carryOut(assembler.end())
        return bytes
    }

    private func carryOut(_ writes: [PictureWrite]) throws(EngineError) {
        for write in writes {
            guard case .append(let more, to: 0) = write else {
                throw .internalError("a file in memory that is not only appended to")
            }
            bytes += more
        }
    }
}
