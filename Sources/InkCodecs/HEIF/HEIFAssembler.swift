import InkEngine

/// Writes the boxes of a file whose picture is a grid of tiles (ISO/IEC 23008-12, AV1 Image File Format), before the
/// tiles, whose lengths are known last.
struct HEIFAssembler: PictureAssembler {
    private let head: PictureHead
    private let grid: HEIFGrid
    private var colorConfiguration: [UInt8] = []
    private var alphaConfiguration: [UInt8] = []
    /// In the order of the data: of each row of tiles first those of colour, then those of alpha.
    private var lengths: [Int] = []
    private var dataCRC: UInt32
    /// Before the tiles, because few programs find them in `idat`.
    private let exif: [UInt8]?
    private let xmp: [UInt8]?

    init(_ head: PictureHead) {
        self.head = head
        grid = HEIFGrid(head.size)
        // First where the TIFF header begins.
        exif = ExifData.make(head.description, head.size).map { bigEndian(0 as UInt32) + $0 }
        xmp = XMPPacket.make(head.description)
        dataCRC = crc32((exif ?? []) + (xmp ?? []))
    }

    private static let store = 1

    mutating func begin() -> [PictureWrite] { [] }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        guard let tiles = HEIFPiece.tiles(in: piece.bytes[...], rowCount: piece.rowCount, pixels: head.pixels) else {
            preconditionFailure("a piece that was found sound")
        }
        if lengths.isEmpty {
            colorConfiguration = Array(tiles.colorConfiguration)
            alphaConfiguration = Array(tiles.alphaConfiguration)
        }
        lengths += tiles.lengths
        let data = Array(tiles.data)
        if head.description.digest != nil { dataCRC = crc32(data, seed: dataCRC) }
        return [.append(data, to: HEIFAssembler.store)]
    }

    mutating func end() -> [PictureWrite] {
        let metadata = (exif ?? []) + (xmp ?? [])
        let total = lengths.reduce(metadata.count, +)
        let dataHeader =
            total + 8 <= Int(UInt32.max)
            ? bigEndian(UInt32(8 + total)) + Array("mdat".utf8)
            : bigEndian(UInt32(1)) + Array("mdat".utf8) + big(16 + total, bytes: 8)
        // Full chroma needs the range extensions of HEVC (ISO/IEC 23008-12, B.4.1.2).
        let hevc = head.encoding.heifChroma == .full ? "heix" : "heic"
        let brands = head.encoding.format == .avif ? ("avif", "avifmif1miafMA1A") : (hevc, "mif1\(hevc)miaf")
        let type = ISOBox.make("ftyp", Array(brands.0.utf8) + bigEndian(0 as UInt32) + Array(brands.1.utf8))
        // The length of the boxes does not depend on the offsets in them.
        let length = type.count + boxes(dataStart: 0).count + dataHeader.count
        let start = type + boxes(dataStart: length) + dataHeader
        var writes: [PictureWrite] = [.append(start + metadata), .move(HEIFAssembler.store)]
        if let digest = head.description.digest {
            writes.append(.append(HEIFDigest.box(digest, headBytes: start.count, crc32(start), dataCRC)))
        }
        return writes
    }

    // MARK: - Items

    private struct Item {
        var id: Int
        var type: String
        var isHidden = false
        /// MIME type of an item that is not a picture.
        var contentType = ""
        /// Properties by their number, whether each is essential.
        var properties: [(number: Int, isEssential: Bool)] = []
        /// In the file, or nil in `idat`.
        var fileOffset: Int?
        var idatOffset = 0
        var length: Int
    }

    private var hasAlpha: Bool { head.pixels == .rgba }

    private func boxes(dataStart: Int) -> [UInt8] {
        var idat: [UInt8] = []
        var items: [Item] = []
        var references: [UInt8] = []
        func inside(_ bytes: [UInt8], id: Int, type: String) -> Item {
            defer { idat += bytes }
            return Item(id: id, type: type, idatOffset: idat.count, length: bytes.count)
        }
        func reference(_ type: String, from id: Int, to ids: [Int]) {
            references += ISOBox.make(
                type, big(id, bytes: 2) + big(ids.count, bytes: 2) + ids.flatMap { big($0, bytes: 2) })
        }
        // Properties: 1 size, 2 bits of colour, 3 colour space, 4 colour configuration, 5 size of a tile; with alpha 6
        // what it is, 7 its bits, 8 its configuration.
        var picture = inside(gridBytes, id: 1, type: "grid")
        picture.properties = [(1, false), (2, false), (3, false)]
        items.append(picture)
        let colorIDs = (0..<grid.count).map { 3 + $0 }
        reference("dimg", from: 1, to: colorIDs)
        let alphaIDs = hasAlpha ? (0..<grid.count).map { 3 + grid.count + $0 } : []
        if hasAlpha {
            var alpha = inside(gridBytes, id: 2, type: "grid")
            alpha.properties = [(1, false), (7, false), (6, true)]
            items.append(alpha)
            reference("dimg", from: 2, to: alphaIDs)
            reference("auxl", from: 2, to: [1])
        }
        var next = 3 + colorIDs.count + alphaIDs.count
        var offset = dataStart
        for (bytes, type, contentType) in [(exif, "Exif", ""), (xmp, "mime", "application/rdf+xml")] {
            guard let bytes else { continue }
            items.append(
                Item(id: next, type: type, contentType: contentType, fileOffset: offset, length: bytes.count))
            reference("cdsc", from: next, to: [1])
            next += 1
            offset += bytes.count
        }
        var index = 0
        for row in 0..<grid.rows {
            for ids in hasAlpha ? [colorIDs, alphaIDs] : [colorIDs] {
                let isColor = ids[0] == colorIDs[0]
                for column in 0..<grid.columns {
                    let length = lengths[index]
                    items.append(
                        Item(
                            id: ids[row * grid.columns + column], type: head.encoding.format == .avif ? "av01" : "hvc1",
                            isHidden: true,
                            properties: isColor
                                ? [(5, false), (2, false), (3, false), (4, true)]
                                : [(5, false), (7, false), (8, true)],
                            fileOffset: offset, length: length))
                    offset += length
                    index += 1
                }
            }
        }
        items.sort { $0.id < $1.id }
        let handler = ISOBox.make(
            "hdlr", version: 0, bigEndian(0 as UInt32) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        return ISOBox.make(
            "meta", version: 0,
            handler + ISOBox.make("pitm", version: 0, big(1, bytes: 2)) + locations(items) + infos(items)
                + ISOBox.make("iref", version: 0, references) + properties(items) + ISOBox.make("idat", idat))
    }

    /// Rows and columns of tiles, and the size of the picture.
    private var gridBytes: [UInt8] {
        [0, 1, UInt8(grid.rows - 1), UInt8(grid.columns - 1)] + big(head.size.width, bytes: 4)
            + big(head.size.height, bytes: 4)
    }

    /// Offsets have 8 bytes, lengths 4.
    private func locations(_ items: [Item]) -> [UInt8] {
        var bytes: [UInt8] = [0x84, 0] + big(items.count, bytes: 2)
        for item in items {
            bytes += big(item.id, bytes: 2) + [0, item.fileOffset == nil ? 1 : 0] + [0, 0] + big(1, bytes: 2)
            bytes += big(item.fileOffset ?? item.idatOffset, bytes: 8) + big(item.length, bytes: 4)
        }
        return ISOBox.make("iloc", version: 1, bytes)
    }

    private func infos(_ items: [Item]) -> [UInt8] {
        var bytes = big(items.count, bytes: 2)
        for item in items {
            let content = item.contentType.isEmpty ? [] : Array(item.contentType.utf8) + [0]
            bytes += ISOBox.make(
                "infe", version: 2, flags: item.isHidden ? 1 : 0,
                big(item.id, bytes: 2) + [0, 0] + Array(item.type.utf8) + [0] + content)
        }
        return ISOBox.make("iinf", version: 0, bytes)
    }

    private func properties(_ items: [Item]) -> [UInt8] {
        func size(_ width: Int, _ height: Int) -> [UInt8] {
            ISOBox.make("ispe", version: 0, big(width, bytes: 4) + big(height, bytes: 4))
        }
        var container = size(head.size.width, head.size.height)
        container += ISOBox.make("pixi", version: 0, [3, 8, 8, 8])
        container += ISOBox.make("colr", Array("nclx".utf8) + colorSpace)
        container += colorConfiguration + size(HEIFGrid.tileWidth, HEIFGrid.tileHeight)
        if hasAlpha {
            container += ISOBox.make("auxC", version: 0, Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))
            container += ISOBox.make("pixi", version: 0, [1, 8]) + alphaConfiguration
        }
        let pictures = items.filter { !$0.properties.isEmpty }
        var associations = big(pictures.count, bytes: 4)
        for item in pictures {
            associations += big(item.id, bytes: 2) + [UInt8(item.properties.count)]
            associations += item.properties.map { UInt8($0.number) | ($0.isEssential ? 0x80 : 0) }
        }
        return ISOBox.make("iprp", ISOBox.make("ipco", container) + ISOBox.make("ipma", version: 0, associations))
    }

    /// Primaries of BT.709, the transfer function of sRGB, the matrix of BT.601 or, without loss, none, full range (ITU-T
    /// H.273).
    private var colorSpace: [UInt8] { [0, 1, 0, 13, 0, head.encoding.isLossless ? 0 : 6, 0x80] }
}

private func big(_ value: Int, bytes count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// The digest of a picture's inputs, in a box at the end of the file.
enum HEIFDigest {
    /// An extension type of our own.
    private static let identifier = Array("ink picture dgst".utf8)
    private static let contentBytes = 16 + PictureDigest.byteCount + 16

    /// - Parameters:
    ///   - headBytes: bytes before the tiles, and their CRC-32; then that of the tiles.
    static func box(_ digest: PictureDigest, headBytes: Int, _ headCRC: UInt32, _ dataCRC: UInt32) -> [UInt8] {
        ISOBox.make(
            "uuid", identifier + digest.bytes + big(headBytes, bytes: 8) + bigEndian(headCRC) + bigEndian(dataCRC))
    }

    /// The digest of a complete file; nil for any other file.
    static func read(_ file: BufferedFile) throws(EngineError) -> PictureDigest? {
        // How long the head is stands in the box at the end. So the head is taken by its boxes.
        var head: [UInt8] = []
        var headBytes: Int?
        var crc = crc32([])
        var tail: [UInt8] = []
        while let piece = try file.readUpTo(BufferedFile.bufferByteCount) {
            var rest = piece[...]
            if headBytes == nil {
                head += rest
                guard let found = HEIFDigest.headBytes(head) else {
                    guard head.count < 64 << 20 else { return nil }
                    continue
                }
                headBytes = found
                rest = head[found...]
            }
            tail += rest
            if tail.count > contentBytes + 8 {
                crc = crc32(Array(tail.dropLast(contentBytes + 8)), seed: crc)
                tail = tail.suffix(contentBytes + 8)
            }
        }
        guard let headBytes, tail.count == contentBytes + 8 else { return nil }
        let digest = PictureDigest(bytes: Array(tail[24..<(24 + PictureDigest.byteCount)]))
        guard let digest, tail == box(digest, headBytes: headBytes, crc32(Array(head[..<headBytes])), crc)
        else { return nil }
        return digest
    }

    /// Bytes before the content of `mdat`; nil if there is none yet.
    private static func headBytes(_ bytes: [UInt8]) -> Int? {
        var at = 0
        while at + 16 <= bytes.count {
            let size = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            if bytes[(at + 4)..<(at + 8)].elementsEqual("mdat".utf8) { return at + (size == 1 ? 16 : 8) }
            guard size >= 8 else { return nil }
            at += size
        }
        return nil
    }
}
