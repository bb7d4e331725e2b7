public import InkEngine

extension PictureFormat {
    public static let szi = PictureFormat(rawValue: 10)
    public static let dzi = PictureFormat(rawValue: 20)
    public static let iiif = PictureFormat(rawValue: 21)
}

/// Pictures for zooming: tiles of several levels in an archive, which may be unpacked to a folder where it is wanted.
///
/// The first levels are made from each band; the others by one task, from the picture shrunk so far.
struct ZoomCodec: PictureCodec {
    let format: PictureFormat
    let fileType: FileType
    private let layout: ZoomLayout

    static let szi = ZoomCodec(format: .szi, fileType: .szi, layout: .deepZoom)
    static let dzi = ZoomCodec(format: .dzi, fileType: .dzi, layout: .deepZoom)
    static let iiif = ZoomCodec(format: .iiif, fileType: .iiif, layout: .iiif)

    private var isFolder: Bool { format.isFolder }
    var hasAlpha: Bool { true }
    var holdsPhotoMetadata: Bool { false }
    var settings: Set<EncodingSetting> {
        Set([.effort, .quality, .chroma, .lossless, .tileSize]).union(layout == .deepZoom ? [.tileOverlap] : [])
    }
    /// A band of so many pixels of width has 2^25 pixels.
    var edgePixelsMax: Int { 65_536 }

    func steps(_ encoding: PictureEncoding, of size: PixelSize) -> [EncodeStep] {
        // Tiles that overlap cannot be made band by band.
        guard encoding.tileOverlap == 0 else { return [.whole(halvings: 0)] }
        let pyramid = pyramid(size, encoding)
        return [.bands, .whole(halvings: min(pyramid.blockLevels, pyramid.wholeLevel ?? .max))]
    }

    func check(
        _ size: PixelSize, _ encoding: PictureEncoding, dotsPerInch: Double?, place: Place
    ) throws(EngineError) {
        guard encoding.tileOverlap > 0, size.area > ZoomCodec.overlappingPixelsMax else { return }
        throw .overLimit(
            place, what: "pixels of a picture with --tile-overlap 1", found: "\(size.area)",
            limit: "\(ZoomCodec.overlappingPixelsMax)")
    }

    /// One worker makes all tiles that overlap, and holds them.
    private static let overlappingPixelsMax = 1 << 28

    func rowMultiple(_ encoding: PictureEncoding) -> Int { ZoomPyramid.blockRows(tile: encoding.zoomTile) }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * pixels.bytesPerPixel }

    func isSound(
        _ piece: ArraySlice<UInt8>, _ size: PixelSize, _ encoding: PictureEncoding, pixels: PixelFormat
    ) -> Bool {
        let count = ZoomPiece.tileCount(rowCount: size.height, width: size.width, tile: encoding.zoomTile)
        return ZoomPiece.ranges(in: piece, count: count) != nil
    }

    func isSoundWhole(_ piece: [UInt8], _ size: PixelSize, _ encoding: PictureEncoding) -> Bool {
        ZoomPiece.ranges(in: piece[...], count: pyramid(size, encoding).topCount) != nil
    }

    private func pyramid(_ size: PixelSize, _ encoding: PictureEncoding) -> ZoomPyramid {
        ZoomPyramid(size, tile: encoding.zoomTile, layout: layout, overlap: encoding.tileOverlap)
    }

    // Equal pixels give equal bytes.
    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes }

    func makeEncoder() -> any PieceEncoder { ZoomTileEncoder() }

    func encodeWhole(_ picture: WholePicture, _ encoding: PictureEncoding) throws(EngineError) -> [UInt8] {
        try ZoomTileEncoder().encodeTop(picture, pyramid(picture.size, encoding), encoding)
    }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        ZoomAssembler(head, layout, isFolder: isFolder)
    }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        isFolder ? try ZoomFolder.storedDigest(path, layout) : try ArchiveDigest.read(path: path)
    }
}

extension PictureEncoding {
    var zoomTile: Int { tileSize ?? ZoomPyramid.standardEdge }

    /// PNG where JPEG would lose something that is wanted.
    func zoomTileFormat(_ pixels: PixelFormat) -> PictureFormat { isLossless || pixels == .rgba ? .png : .jpeg }

    func zoomTileEnding(_ pixels: PixelFormat) -> String { zoomTileFormat(pixels) == .png ? "png" : "jpg" }
}
