import CTIFF
import InkEngine

/// TIFF files as images of layers: the first page, of whole numbers in up to 16 bits; gray, palette, RGB and CMYK; in
/// strips or tiles, also of separate planes.
struct TIFFImages: ImageDecoder {
    var name: String { "TIFF" }
    var fileType: FileType? { .tiff }
    var library: ImageLibrary { ImageLibrary("libtiff") }

    func recognizes(_ file: [UInt8]) -> Bool {
        // 43 is BigTIFF.
        [[0x49, 0x49, 42, 0], [0x49, 0x49, 43, 0], [0x4D, 0x4D, 0, 42], [0x4D, 0x4D, 0, 43]]
            .contains { (start: [UInt8]) in file.starts(with: start) }
    }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            try TIFFReader(bytes, place: place).header
        }
    }

    func colors(of file: [UInt8]) -> FileColors {
        file.withUnsafeBufferPointer { bytes in
            // The error of a damaged file is that of decoding it.
            FileColors(profile: (try? TIFFReader(bytes, place: Place(file: "")))?.profile)
        }
    }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            let reader = try TIFFReader(bytes, place: place)
            try reader.header.check(against: limits, place: place)
            let stored = reader.stored
            var rows = StoredRows(
                stored, reader.pixels, reader.orientation, profile: convertsProfiles ? reader.profile : nil, as: use)
            let row = RowBuffer(byteCount: stored.width * reader.pixels.byteCount)
            for _ in 0..<stored.height {
                try reader.readRow(into: row.base)
                try rows.append(row.base, onChunk: onChunk)
            }
            return try rows.finish(onChunk: onChunk)
        }
    }
}

/// libtiff's reader over a file in memory. For one thread at a time. A reader that has thrown must not be used any more.
private final class TIFFReader {
    private let reader: OpaquePointer
    private let place: Place
    private let layout: ink_tiff_layout

    /// - Parameter file: must outlive the reader.
    init(_ file: UnsafeBufferPointer<UInt8>, place: Place) throws(EngineError) {
        guard let base = file.baseAddress, let reader = ink_tiff_open(base, file.count) else {
            throw .internalError("libtiff cannot be set up")
        }
        self.reader = reader
        self.place = place
        var layout = ink_tiff_layout()
        let isRead = ink_tiff_read_layout(reader, &layout) != 0
        self.layout = layout
        // From here on deinit closes the reader, even if this throws.
        guard isRead else { throw error() }
    }

    deinit { ink_tiff_close(reader) }

    var stored: PixelSize { PixelSize(width: Int(layout.width), height: Int(layout.height)) }

    var orientation: ImageOrientation { ImageOrientation(rawValue: Int(layout.orientation)) ?? .upright }

    var header: ImageHeader {
        let isHeldWhole = layout.is_held_whole != 0 || orientation != .upright
        var header = ImageHeader(
            size: orientation.turned(stored), isHeldWhole: isHeldWhole, hasAlpha: layout.has_alpha != 0)
        if pixels.colors == .cmyk { header.inks = StoredPixels.inks(profile) }
        return header
    }

    var pixels: StoredPixels {
        StoredPixels(
            colors: StoredPixels.Colors(rawValue: layout.colors) ?? .gray, hasAlpha: layout.has_alpha != 0,
            is16Bit: layout.is_16_bit != 0)
    }

    var profile: [UInt8]? {
        layout.profile.map { Array(UnsafeBufferPointer(start: $0, count: layout.profile_bytes)) }
    }

    /// - Precondition: `row` has room for a row of `pixels`.
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws(EngineError) {
        guard ink_tiff_read_row(reader, row) != 0 else { throw error() }
    }

    private func error() -> EngineError {
        .badInput(place, reason: "the TIFF cannot be read: \(String(cString: ink_tiff_error(reader)))")
    }
}
