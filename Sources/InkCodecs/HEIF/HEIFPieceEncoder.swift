import CHEIF
import Glibc
import InkEngine

/// Encodes the tiles of bands, each as a file of its own, and takes what is needed from these.
final class HEIFPieceEncoder: PieceEncoder {
    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        let channels = rows.format.bytesPerPixel
        let rowCount = rows.pixels.count / max(1, rows.width * channels)
        guard rows.width > 0, rowCount > 0, rows.pixels.count == rowCount * rows.width * channels else {
            throw .internalError("\(rows.pixels.count) bytes are not rows of \(rows.width) pixels")
        }
        let grid = HEIFGrid(PixelSize(width: rows.width, height: rowCount))
        var (color, alpha): (HEIFTileFile?, HEIFTileFile?)
        var tiles: [[UInt8]] = []
        for row in 0..<grid.rows {
            for plane in rows.format == .rgba ? [0..<3, 3..<4] : [0..<3] {
                for column in 0..<grid.columns {
                    let pixels = HEIFPieceEncoder.tile(rows, rowCount: rowCount, row: row, column: column, plane)
                    let file = try HEIFPieceEncoder.file(pixels, channels: plane.count, encoding.picture)
                    tiles.append(Array(file.data))
                    if plane.count == 3 { color = color ?? file } else { alpha = alpha ?? file }
                }
            }
        }
        let bytes = HEIFPiece.join(
            color: color.map { Array($0.configuration) } ?? [], alpha: alpha.map { Array($0.configuration) } ?? [],
            tiles: tiles)
        return EncodedPiece(
            rowCount: rowCount,
            rawByteCount: HEIFCodec(isAVIF: encoding.picture.format == .avif).rawByteCount(
                rowCount: rowCount, width: rows.width, pixels: rows.format),
            adler32: Adler32.empty, bytes: bytes)
    }

    /// The samples of a tile. What lies beyond the picture repeats its last row and column.
    private static func tile(
        _ rows: PixelRows, rowCount: Int, row: Int, column: Int, _ plane: Range<Int>
    ) -> [UInt8] {
        let channels = rows.format.bytesPerPixel
        var samples: [UInt8] = []
        samples.reserveCapacity(HEIFGrid.tileWidth * HEIFGrid.tileHeight * plane.count)
        for y in 0..<HEIFGrid.tileHeight {
            let sourceRow = min(row * HEIFGrid.tileHeight + y, rowCount - 1) * rows.width
            for x in 0..<HEIFGrid.tileWidth {
                let pixel = (sourceRow + min(column * HEIFGrid.tileWidth + x, rows.width - 1)) * channels
                for channel in plane { samples.append(rows.pixels[pixel + channel]) }
            }
        }
        return samples
    }

    private static func file(
        _ pixels: [UInt8], channels: Int, _ encoding: PictureEncoding
    ) throws(EngineError) -> HEIFTileFile {
        let codec = HEIFCodec(isAVIF: encoding.format == .avif)
        if let package = codec.missingPackage {
            throw .unavailable(
                Place(file: codec.name), reason: "the worker cannot write \(codec.name): install \(package) there")
        }
        var settings = ink_heif_settings()
        settings.is_avif = codec.isAVIF ? 1 : 0
        settings.width = UInt32(HEIFGrid.tileWidth)
        settings.height = UInt32(HEIFGrid.tileHeight)
        settings.channels = UInt32(channels)
        settings.quality = Int32(encoding.heifQuality)
        // Transparency is exact: what is visible at its edges is more than its few bytes are worth.
        settings.is_lossless = channels == 1 || encoding.isLossless ? 1 : 0
        settings.full_chroma = encoding.heifChroma == .full ? 1 : 0
        settings.speed = Int32(encoding.avifSpeed)
        settings.preset = UnsafeRawPointer(encoding.heicPreset.utf8Start).assumingMemoryBound(to: CChar.self)
        var (made, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        var message = [CChar](repeating: 0, count: Int(INK_HEIF_MESSAGE_BYTES))
        guard ink_heif_encode(pixels, &settings, &made, &count, &message) != 0, let made else {
            let end = message.firstIndex(of: 0) ?? message.endIndex
            let text = String(decoding: message[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw .internalError("libheif: \(text)")
        }
        defer { free(made) }
        guard let file = HEIFTileFile(Array(UnsafeBufferPointer(start: made, count: count))) else {
            throw .internalError("libheif made a file without a picture")
        }
        return file
    }
}

/// A file of one picture, as libheif writes it.
struct HEIFTileFile {
    /// The whole `av1C` or `hvcC` box.
    let configuration: ArraySlice<UInt8>
    /// The picture.
    let data: ArraySlice<UInt8>

    /// nil if a box is missing.
    init?(_ file: [UInt8]) {
        guard let meta = ISOBox.find("meta", in: file[...]),
            let properties = ISOBox.find("iprp", in: meta.content.dropFirst(4)),
            let container = ISOBox.find("ipco", in: properties.content),
            let configuration = ISOBox.find("av1C", in: container.content)
                ?? ISOBox.find("hvcC", in: container.content),
            let data = ISOBox.find("mdat", in: file[...]), !data.content.isEmpty
        else { return nil }
        self.configuration = configuration.whole
        self.data = data.content
    }
}

/// A box of the ISO base media file format (ISO/IEC 14496-12).
struct ISOBox {
    var type: String
    var whole: ArraySlice<UInt8>
    var content: ArraySlice<UInt8>

    /// The first box of a type among those that follow each other in `bytes`.
    static func find(_ type: String, in bytes: ArraySlice<UInt8>) -> ISOBox? {
        var rest = bytes
        while let box = first(of: rest) {
            if box.type == type { return box }
            rest = rest[box.whole.endIndex...]
        }
        return nil
    }

    private static func first(of bytes: ArraySlice<UInt8>) -> ISOBox? {
        guard bytes.count >= 8 else { return nil }
        let start = bytes.startIndex
        var size = bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
        var header = 8
        if size == 1, bytes.count >= 16 {
            size = bytes[(start + 8)..<(start + 16)].reduce(0) { $0 << 8 | Int($1) }
            header = 16
        } else if size == 0 {
            size = bytes.count
        }
        guard size >= header, size <= bytes.count else { return nil }
        return ISOBox(
            type: String(decoding: bytes[(start + 4)..<(start + 8)], as: UTF8.self),
            whole: bytes[start..<(start + size)], content: bytes[(start + header)..<(start + size)])
    }

    static func make(_ type: String, _ content: [UInt8]) -> [UInt8] {
        bigEndian(UInt32(8 + content.count)) + Array(type.utf8) + content
    }

    static func make(_ type: String, version: UInt8 = 0, flags: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
        make(type, [version, 0, 0, flags] + content)
    }
}
