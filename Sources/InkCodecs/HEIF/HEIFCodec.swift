import CHEIF
public import InkEngine

extension PictureFormat {
    public static let avif = PictureFormat(rawValue: 5)
    public static let heic = PictureFormat(rawValue: 12)
}

/// AVIF and HEIC files: a grid of tiles of one size that are encoded alone, so that the file is the same however the
/// picture was cut. The encoders of AV1 and HEVC are libheif's, which is loaded when a tile is to be encoded.
struct HEIFCodec: PictureCodec {
    let isAVIF: Bool

    var format: PictureFormat { isAVIF ? .avif : .heic }
    var fileType: FileType { isAVIF ? .avif : .heic }
    var hasAlpha: Bool { true }
    /// Few readers of HEIC know colours without a matrix.
    var settings: Set<EncodingSetting> {
        isAVIF ? [.effort, .quality, .chroma, .lossless, .maxBytes] : [.effort, .quality, .chroma, .maxBytes]
    }
    /// libheif opens no larger ones; libavif would open one pixel more.
    var edgePixelsMax: Int { 32_767 }

    var loadedLibrary: ImageLibrary? {
        guard ink_heif_is_present() != 0 else { return ImageLibrary("libheif", missingPackage: "libheif1") }
        return ImageLibrary(
            "libheif", version: String(cString: ink_heif_version()),
            missingPackage: ink_heif_can_encode(isAVIF ? 1 : 0) != 0
                ? nil : isAVIF ? "libheif-plugin-aomenc" : "libheif-plugin-x265")
    }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { HEIFGrid.tileHeight }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        rowCount * width * pixels.bytesPerPixel
    }

    func isSound(_ piece: ArraySlice<UInt8>, rowCount: Int, pixels: PixelFormat) -> Bool {
        HEIFPiece.tiles(in: piece, rowCount: rowCount, pixels: pixels) != nil
    }

    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes }

    /// Tiles are numbered with 16 bits.
    func check(
        _ size: PixelSize, _ encoding: PictureEncoding, dotsPerInch: Double?, place: Place
    ) throws(EngineError) {
        let grid = HEIFGrid(size)
        guard grid.count <= HEIFGrid.countMax else {
            throw .overLimit(
                place, what: "tiles of \(HEIFGrid.tileWidth)x\(HEIFGrid.tileHeight) pixels",
                found: "\(grid.count)", limit: "\(HEIFGrid.countMax); choose a smaller --size, or another --format")
        }
        if encoding.isLossless, encoding.chroma == .quarter {
            throw .badInput(place, reason: "a lossless AVIF cannot be 4:2:0")
        }
        guard size.area <= HEIFGrid.areaMax else {
            throw .overLimit(
                place, what: "the picture in \(name)", found: "\(size.area) pixels",
                limit:
                    "\(HEIFGrid.areaMax) pixels, which libavif and browsers open; choose a smaller --size, or another "
                    + "--format")
        }
        // MIAF 7.3.11.4.2: otherwise libavif and browsers show nothing.
        if encoding.heifChroma == .quarter, !size.width.isMultiple(of: 2) || !size.height.isMultiple(of: 2) {
            throw .badInput(
                place, reason: "a picture of \(size) pixels cannot be 4:2:0 in \(name), since an edge is odd; use 4:4:4"
            )
        }
    }

    func makeEncoder() -> any PieceEncoder { HEIFPieceEncoder() }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { HEIFAssembler(head) }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        return try HEIFDigest.read(file)
    }
}

extension PictureEncoding {
    /// The default is 75 for AVIF, and for HEIC 60, which looks about the same.
    var heifQuality: Int { quality ?? (format == .avif ? 75 : 60) }
    /// Hatching consists of edges, which 4:2:0 blurs.
    var heifChroma: ChromaSampling { chroma ?? .full }
    /// The speed setting of the encoder of AVIF.
    var avifSpeed: Int {
        switch effort {
        case .fast: 8
        case .balanced: 6
        case .small: 4
        }
    }
    /// The preset of the encoder of HEIC.
    var heicPreset: StaticString {
        switch effort {
        case .fast: "veryfast"
        case .balanced: "medium"
        case .small: "slow"
        }
    }
}

/// How a picture is cut into tiles. The last ones of rows and columns go beyond the picture.
struct HEIFGrid: Hashable, Sendable {
    static let tileWidth = 512
    static let tileHeight = 256
    /// For the picture and its alpha, with some numbers left for other items.
    static let countMax = 32_000
    /// Pixels of the largest picture that libavif opens where nothing else is asked of it.
    static let areaMax = 16_384 * 16_384

    let columns: Int
    let rows: Int

    init(_ size: PixelSize) {
        columns = (size.width + HEIFGrid.tileWidth - 1) / HEIFGrid.tileWidth
        rows = (size.height + HEIFGrid.tileHeight - 1) / HEIFGrid.tileHeight
    }

    var count: Int { rows * columns }
}

/// The form of a piece: the configuration box of the colour tiles and of the alpha tiles, each with its length before it
/// (4 bytes, little-endian; the second is empty without alpha), the number of tiles (4), the length of each (4), then
/// the tiles: row by row, of each row first those of colour, then those of alpha.
enum HEIFPiece {
    struct Tiles {
        var colorConfiguration: ArraySlice<UInt8>
        var alphaConfiguration: ArraySlice<UInt8>
        var lengths: [Int]
        /// All tiles.
        var data: ArraySlice<UInt8>
    }

    static func join(color: [UInt8], alpha: [UInt8], tiles: [[UInt8]]) -> [UInt8] {
        var bytes = littleEndian(UInt32(color.count)) + color + littleEndian(UInt32(alpha.count)) + alpha
        bytes += littleEndian(UInt32(tiles.count))
        for tile in tiles { bytes += littleEndian(UInt32(tile.count)) }
        for tile in tiles { bytes += tile }
        return bytes
    }

    /// nil if the bytes are not a piece of so many rows.
    static func tiles(in piece: ArraySlice<UInt8>, rowCount: Int, pixels: PixelFormat) -> Tiles? {
        var rest = piece
        func number() -> Int? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        func part() -> ArraySlice<UInt8>? {
            guard let count = number(), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        guard let color = part(), let alpha = part(), !color.isEmpty, alpha.isEmpty == (pixels == .rgb),
            let count = number(), count > 0, count <= rest.count / 4,
            count.isMultiple(of: HEIFGrid(PixelSize(width: 1, height: rowCount)).rows * (pixels == .rgb ? 1 : 2))
        else { return nil }
        var lengths: [Int] = []
        for _ in 0..<count {
            guard let length = number(), length > 0 else { return nil }
            lengths.append(length)
        }
        guard lengths.reduce(0, +) == rest.count else { return nil }
        return Tiles(colorConfiguration: color, alphaConfiguration: alpha, lengths: lengths, data: rest)
    }
}
