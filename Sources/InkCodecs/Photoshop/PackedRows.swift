import InkEngine

/// Rows of pixels as channels, each packed row by row: a piece of a PSD.
///
/// The sizes of all rows come first, 4 bytes each, channel by channel, and then the packed rows in the same order.
struct PackedRows {
    /// Red, green, blue, and alpha if there is one: the packed sizes of its rows, and where they are in the piece.
    var channels: [(sizes: [UInt32], bytes: Range<Int>)] = []

    /// nil for bytes that are something else.
    init?(_ piece: ArraySlice<UInt8>, rowCount: Int, width: Int, pixels: PixelFormat) {
        let channelCount = pixels.bytesPerPixel
        let tableBytes = 4 * rowCount * channelCount
        guard rowCount > 0, piece.count >= tableBytes else { return nil }
        let longest = PackBits.byteCountMax(width)
        var start = piece.startIndex + tableBytes
        for channel in 0..<channelCount {
            var sizes: [UInt32] = []
            sizes.reserveCapacity(rowCount)
            var end = start
            for row in 0..<rowCount {
                let place = piece.startIndex + 4 * (channel * rowCount + row)
                let size = (0..<4).reduce(0 as UInt32) { $0 << 8 | UInt32(piece[place + $1]) }
                guard (1...longest).contains(Int(size)) else { return nil }
                sizes.append(size)
                end += Int(size)
            }
            guard end <= piece.endIndex else { return nil }
            channels.append((sizes, start..<end))
            start = end
        }
        guard start == piece.endIndex else { return nil }
    }
}

/// Packs rows of pixels, channel by channel.
final class PackedRowsEncoder: PieceEncoder {
    /// Whether colours are those of the picture on white, as in the picture of all layers; its alpha stays.
    private let isOnWhite: Bool

    init(isOnWhite: Bool) { self.isOnWhite = isOnWhite }

    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        let step = rows.format.bytesPerPixel
        let width = rows.width
        guard width > 0, rows.pixels.count % (width * step) == 0, let base = rows.pixels.baseAddress else {
            throw .internalError("\(rows.pixels.count) bytes are not rows of \(width) pixels")
        }
        let pixels = base.assumingMemoryBound(to: UInt8.self)
        let rowCount = rows.pixels.count / (width * step)
        let flat = isOnWhite && step == 4 ? rows.compositedOntoWhite : []
        // Worst cases, of which the part that is written is used.
        let packed = RowBuffer(byteCount: PackBits.byteCountMax(width))
        let row = RowBuffer(byteCount: width)
        var table: [UInt8] = []
        var bytes: [UInt8] = []
        table.reserveCapacity(4 * rowCount * step)
        flat.withUnsafeBufferPointer { flat in
            for channel in 0..<step {
                for y in 0..<rowCount {
                    // An empty array may have an address.
                    if channel < 3, !flat.isEmpty, let flat = flat.baseAddress {
                        let source = flat + 3 * y * width + channel
                        for x in 0..<width { row.base[x] = source[3 &* x] }
                    } else {
                        let source = pixels + step * y * width + channel
                        for x in 0..<width { row.base[x] = source[step &* x] }
                    }
                    let count = PackBits.pack(row.base, count: width, into: packed.base)
                    table += bigEndian(UInt32(count))
                    bytes += UnsafeBufferPointer(start: packed.base, count: count)
                }
            }
        }
        return EncodedPiece(
            rowCount: rowCount, rawByteCount: rows.pixels.count, adler32: Adler32.empty, bytes: table + bytes)
    }
}
