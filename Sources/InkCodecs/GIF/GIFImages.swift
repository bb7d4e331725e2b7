import CGIF
import InkEngine

/// GIF files as images of layers: the first frame, on a transparent ground.
struct GIFImages: ImageDecoder {
    var name: String { "GIF" }
    var fileType: FileType? { .gif }
    var library: ImageLibrary { ImageLibrary("giflib") }

    func recognizes(_ file: [UInt8]) -> Bool {
        file.starts(with: Array("GIF87a".utf8)) || file.starts(with: Array("GIF89a".utf8))
    }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            try GIFReader(bytes, place: place).header
        }
    }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            let reader = try GIFReader(bytes, place: place)
            try reader.header.check(against: limits, place: place)
            // What a frame has outside the picture has to be read, too.
            try ImageHeader(size: reader.frame, isHeldWhole: true, formatStreams: false)
                .check(against: limits, place: place)
            let size = reader.header.size
            let picture = RowBuffer(byteCount: size.area * 4)
            try reader.decode(into: picture.base)
            let isOpaque = ink_gif_pack_opaque(picture.base, size.area) != 0
            let pixels = StoredPixels(colors: .rgb, hasAlpha: !isOpaque)
            var rows = StoredRows(size, pixels, as: use)
            for y in 0..<size.height {
                try rows.append(picture.base + y * size.width * pixels.byteCount, onChunk: onChunk)
            }
            return try rows.finish(onChunk: onChunk)
        }
    }
}

extension GIFImages {
    /// Whether a file has a second frame, as far as it can be read.
    static func hasSecondFrame(_ file: [UInt8]) -> Bool {
        var frames = 0
        forEachBlock(of: file) { kind, _ in
            if kind == nil { frames += 1 }
            return frames < 2
        }
        return frames == 2
    }

    /// Passes on the extensions of a file, as far as it can be read: the kind, and where the blocks of data begin.
    static func forEachExtension(of file: [UInt8], _ body: (UInt8, Int) -> Void) {
        forEachBlock(of: file) { kind, start in
            if let kind { body(kind, start) }
            return true
        }
    }

    /// Passes on frames (without a kind) and extensions, until `body` is false.
    private static func forEachBlock(of file: [UInt8], _ body: (UInt8?, Int) -> Bool) {
        func tableBytes(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
        guard file.count > 13 else { return }
        var at = 13 + tableBytes(file[10])
        while at < file.count {
            switch file[at] {
            case 0x2C:
                guard body(nil, at), at + 9 < file.count else { return }
                at += 11 + tableBytes(file[at + 9])
            case 0x21:
                guard at + 1 < file.count, body(file[at + 1], at + 2) else { return }
                at += 2
            default: return
            }
            // Blocks of data, up to an empty one.
            while at < file.count, file[at] > 0 { at += Int(file[at]) + 1 }
            at += 1
        }
    }
}

/// giflib's reader over a file in memory. For one thread at a time.
private final class GIFReader {
    private let reader: OpaquePointer
    private let place: Place
    private(set) var header = ImageHeader(size: PixelSize(width: 0, height: 0), isHeldWhole: true)
    /// The size of the first frame.
    private(set) var frame = PixelSize(width: 0, height: 0)

    /// - Parameter file: must outlive the reader.
    init(_ file: UnsafeBufferPointer<UInt8>, place: Place) throws(EngineError) {
        guard let base = file.baseAddress, let reader = ink_gif_open(base, file.count) else {
            throw .internalError("giflib cannot be set up")
        }
        self.reader = reader
        self.place = place
        var layout = ink_gif_layout()
        // From here on deinit closes the reader, even if this throws.
        guard ink_gif_read_layout(reader, &layout) != 0 else { throw error() }
        let size = PixelSize(width: Int(layout.width), height: Int(layout.height))
        header = ImageHeader(size: size, isHeldWhole: true, formatStreams: false)
        frame = PixelSize(width: Int(layout.frame_width), height: Int(layout.frame_height))
        guard size.area > 0, frame.area > 0 else {
            throw .badInput(place, reason: "the GIF claims a size of \(size) with a frame of \(frame)")
        }
    }

    deinit { ink_gif_close(reader) }

    /// - Precondition: `picture` has room for the header's size in RGBA, all zero.
    func decode(into picture: UnsafeMutablePointer<UInt8>) throws(EngineError) {
        guard ink_gif_decode(reader, picture) != 0 else { throw error() }
    }

    private func error() -> EngineError {
        .badInput(place, reason: "the GIF is damaged: \(String(cString: ink_gif_error(reader)))")
    }
}
