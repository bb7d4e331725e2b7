import CJPEG
import InkEngine

/// JPEG files as images of layers: baseline and progressive; gray, colour and CMYK; turned as their EXIF data say.
struct JPEGImages: ImageDecoder {
    var name: String { "JPEG" }
    var fileType: FileType? { .jpeg }
    var library: ImageLibrary { ImageLibrary("libjpeg-turbo") }

    func recognizes(_ file: [UInt8]) -> Bool { file.starts(with: [0xFF, JPEGMarker.startOfImage, 0xFF]) }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        let segments = JPEGSegment.head(of: file)
        guard let frame = segments.first(where: { JPEGMarker.isFrame($0.marker) }),
            frame.data.count >= 6
        else { throw .badInput(place, reason: "the JPEG is damaged: it does not say its size") }
        let fields = Array(file[frame.data.prefix(6)])
        let size = PixelSize(width: Int(fields[3]) << 8 | Int(fields[4]), height: Int(fields[1]) << 8 | Int(fields[2]))
        guard size.width > 0, size.height > 0 else {
            throw .badInput(place, reason: "the JPEG claims a size of \(size)")
        }
        let orientation = segments.orientation(in: file)
        // An image with several scans is assembled in memory; one that is turned, too.
        let isHeldWhole = frame.marker != 0xC0 && frame.marker != 0xC1 || orientation != .upright
        var header = ImageHeader(size: orientation.turned(size), isHeldWhole: isHeldWhole, hasAlpha: false)
        if fields[5] == 4 { header.inks = StoredPixels.inks(segments.profile(in: file)) }
        return header
    }

    func colors(of file: [UInt8]) -> FileColors { FileColors(profile: JPEGSegment.head(of: file).profile(in: file)) }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        let header = try header(file, place: place)
        try header.check(against: limits, place: place)
        return try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            let segments = JPEGSegment.head(of: file)
            let orientation = segments.orientation(in: file)
            let profile = convertsProfiles ? segments.profile(in: file) : nil
            let reader = try JPEGRowReader(
                bytes, expandsGray: use == .color && profile == nil, keepsInks: profile != nil, place: place)
            let size = reader.size
            guard orientation.turned(size) == header.size else {
                throw .badInput(place, reason: "the JPEG is damaged: it says two sizes")
            }
            var rows = StoredRows(size, reader.pixels, orientation, profile: profile, as: use)
            let row = RowBuffer(byteCount: size.width * reader.pixels.byteCount)
            for _ in 0..<size.height {
                try reader.readRow(into: row.base)
                try rows.append(row.base, onChunk: onChunk)
            }
            try reader.finish()
            return try rows.finish(onChunk: onChunk)
        }
    }
}

/// libjpeg's row reader over a file in memory. For one thread at a time. A reader that has thrown must not be used any
/// more.
private final class JPEGRowReader {
    private let reader: OpaquePointer
    private let place: Place
    private let layout: ink_jpeg_layout

    var size: PixelSize { PixelSize(width: Int(layout.width), height: Int(layout.height)) }
    var pixels: StoredPixels {
        StoredPixels(colors: layout.channels == 1 ? .gray : layout.channels == 3 ? .rgb : .cmyk)
    }

    /// - Parameters:
    ///   - file: must outlive the reader.
    ///   - keepsInks: whether CMYK stays, else it becomes RGB.
    init(_ file: UnsafeBufferPointer<UInt8>, expandsGray: Bool, keepsInks: Bool, place: Place) throws(EngineError) {
        guard let base = file.baseAddress, let reader = ink_jpeg_open(base, file.count) else {
            throw .internalError("libjpeg cannot be set up")
        }
        self.reader = reader
        self.place = place
        var layout = ink_jpeg_layout()
        let isRead = ink_jpeg_read_header(reader, expandsGray ? 1 : 0, keepsInks ? 1 : 0, &layout) != 0
        self.layout = layout
        // From here on deinit closes the reader, even if this throws.
        guard isRead else { throw error() }
    }

    deinit { ink_jpeg_close(reader) }

    /// - Precondition: `row` has room for a row of `pixels`.
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws(EngineError) {
        guard ink_jpeg_read_row(reader, row) != 0 else { throw error() }
    }

    func finish() throws(EngineError) { guard ink_jpeg_finish(reader) != 0 else { throw error() } }

    private func error() -> EngineError {
        .badInput(place, reason: "the JPEG is damaged: \(String(cString: ink_jpeg_error(reader)))")
    }
}
