import CJXL
public import InkEngine

extension PictureFormat {
    public static let jxl = PictureFormat(rawValue: 6)
}

/// JPEG XL files: a frame for each 256 rows, so that the file is the same however the picture was cut. The encoder is
/// libjxl's, which is loaded when rows are to be encoded; the file around the frames is our own.
struct JXLCodec: PictureCodec {
    var format: PictureFormat { .jxl }
    var fileType: FileType { .jxl }
    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { [.effort, .quality, .lossless, .maxBytes] }
    /// The limit of the level that frames are encoded at.
    var edgePixelsMax: Int { 262_144 }

    var loadedLibrary: ImageLibrary? {
        guard ink_jxl_is_present() != 0 else { return ImageLibrary("libjxl", missingPackage: "libjxl0.7") }
        return ImageLibrary("libjxl", version: String(cString: ink_jxl_version()))
    }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { JXLPiece.frameRows }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * pixels.bytesPerPixel }

    func isSound(_ piece: ArraySlice<UInt8>, rowCount: Int, pixels: PixelFormat) -> Bool {
        JXLPiece.frames(in: piece, rowCount: rowCount) != nil
    }

    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes }

    func makeEncoder() -> any PieceEncoder { JXLPieceEncoder() }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { JXLAssembler(head) }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        return try JXLDigest.read(file)
    }
}

extension PictureEncoding {
    /// Quality 100 is exact, as it is for libjxl.
    var isExactJXL: Bool { isLossless || quality == 100 }

    /// How far colours may be off (Butteraugli); the default is 1, which is quality 90. By the formula of libjxl's
    /// `JxlEncoderDistanceFromQuality`, which its version 0.7 does not have yet.
    var jxlDistance: Double {
        let quality = Double(quality ?? 90)
        return quality >= 30
            ? 0.1 + (100 - quality) * 0.09 : 53 / 3000.0 * quality * quality - 23 / 20.0 * quality + 25
    }

    /// From 1, fast, to 9.
    var jxlEffort: Int {
        switch effort {
        case .fast: isExactJXL ? 2 : 3
        case .balanced: isExactJXL ? 3 : 5
        case .small: 7
        }
    }
}

/// The form of a piece: the length of each frame (4 bytes, little-endian), then the frames.
enum JXLPiece {
    /// The rows of all frames but the last. One frame of all rows makes files that are less than 2% smaller.
    static let frameRows = 256

    static func frameCount(rowCount: Int) -> Int { (rowCount + frameRows - 1) / frameRows }

    static func join(_ frames: [[UInt8]]) -> [UInt8] {
        frames.flatMap { littleEndian(UInt32($0.count)) } + frames.joined()
    }

    /// nil if the bytes are not a piece of so many rows.
    static func frames(in piece: ArraySlice<UInt8>, rowCount: Int) -> [ArraySlice<UInt8>]? {
        let count = frameCount(rowCount: rowCount)
        guard count > 0, count <= piece.count / 4 else { return nil }
        var lengths = piece.prefix(4 * count)
        var rest = piece.dropFirst(4 * count)
        var frames: [ArraySlice<UInt8>] = []
        for _ in 0..<count {
            let length = lengths.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            lengths = lengths.dropFirst(4)
            guard length > 0, length <= rest.count else { return nil }
            frames.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return rest.isEmpty ? frames : nil
    }
}
