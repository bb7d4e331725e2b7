import CHEIF
import InkEngine

/// HEIF and AVIF files as images of layers: the primary picture, or the first of a sequence; by libheif where it is
/// installed.
struct HEIFImages: ImageDecoder {
    var name: String { isAVIF ? "AVIF" : "HEIF" }
    var fileType: FileType? { isAVIF ? .avif : .heic }
    var library: ImageLibrary {
        guard ink_heif_is_present() != 0 else { return ImageLibrary("libheif", missingPackage: "libheif1") }
        let plugin = isAVIF ? "libheif-plugin-dav1d" : "libheif-plugin-libde265"
        return ImageLibrary(
            "libheif", version: String(cString: ink_heif_version()),
            missingPackage: ink_heif_can_decode(isAVIF ? 1 : 0) != 0 ? nil : plugin)
    }

    let isAVIF: Bool

    private var brands: Set<String> {
        isAVIF ? ["avif", "avis"] : ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"]
    }

    func recognizes(_ file: [UInt8]) -> Bool {
        guard file.count >= 12, file[4..<8].elementsEqual("ftyp".utf8) else { return false }
        return brands.contains(String(decoding: file[8..<12], as: UTF8.self))
    }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            try HEIFReader(bytes, name: name, place: place).header
        }
    }

    /// What a file says of its picture: EXIF as in a TIFF, and XMP; nil for what it does not say, or cannot be read.
    func metadata(_ file: [UInt8]) -> (exif: [UInt8]?, xmp: [UInt8]?) {
        file.withUnsafeBufferPointer { bytes in
            // The error of a damaged file is that of decoding it.
            guard let reader = try? HEIFReader(bytes, name: name, place: Place(file: "")) else { return (nil, nil) }
            return (reader.metadata(isExif: true).flatMap(Self.withoutOffset), reader.metadata(isExif: false))
        }
    }

    /// EXIF without the four bytes before it, which say how many more bytes are no part of it.
    private static func withoutOffset(_ exif: [UInt8]) -> [UInt8]? {
        guard exif.count > 4 else { return nil }
        let offset = exif[..<4].reduce(0) { $0 << 8 | Int($1) }
        return offset <= exif.count - 4 ? Array(exif[(4 + offset)...]) : nil
    }

    func colors(of file: [UInt8]) -> FileColors {
        file.withUnsafeBufferPointer { bytes in
            FileColors(
                // The error of a damaged file is that of decoding it.
                profile: (try? HEIFReader(bytes, name: name, place: Place(file: "")))?.profile,
                coded: HEIFTransforms.codedColors(in: bytes))
        }
    }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            let reader = try HEIFReader(bytes, name: name, place: place)
            try reader.header.check(against: limits, place: place)
            try reader.decode()
            let size = reader.header.size
            var rows = StoredRows(size, reader.pixels, profile: convertsProfiles ? reader.profile : nil, as: use)
            let row = RowBuffer(byteCount: size.width * reader.pixels.byteCount)
            for y in 0..<size.height {
                reader.copyRow(y, into: row.base)
                try rows.append(row.base, onChunk: onChunk)
            }
            return try rows.finish(onChunk: onChunk)
        }
    }
}

/// libheif's reader over a file in memory. For one thread at a time. A reader that has thrown must not be used any more.
private final class HEIFReader {
    private let reader: OpaquePointer
    private let name: String
    private let place: Place
    private var layout: ink_heif_layout

    /// - Parameter file: must outlive the reader.
    init(_ file: UnsafeBufferPointer<UInt8>, name: String, place: Place) throws(EngineError) {
        guard ink_heif_is_present() != 0 else {
            throw .unavailable(
                place,
                reason: "the image is \(name), which needs libheif (package libheif1, with libheif-plugin-libde265 and "
                    + "libheif-plugin-dav1d where they are separate)")
        }
        guard let base = file.baseAddress, let reader = ink_heif_open(base, file.count) else {
            throw .internalError("libheif cannot be set up")
        }
        self.reader = reader
        self.name = name
        self.place = place
        var layout = ink_heif_layout()
        let isRead = ink_heif_read_layout(reader, &layout) != 0
        self.layout = layout
        // From here on deinit closes the reader, even if this throws.
        guard isRead else { throw error() }
        if let size = HEIFTransforms.size(in: file) {
            self.layout.width = UInt32(clamping: size.width)
            self.layout.height = UInt32(clamping: size.height)
        }
    }

    deinit { ink_heif_close(reader) }

    var header: ImageHeader {
        let size = PixelSize(width: Int(layout.width), height: Int(layout.height))
        return ImageHeader(size: size, isHeldWhole: true, formatStreams: false, hasAlpha: layout.has_alpha != 0)
    }

    var pixels: StoredPixels {
        StoredPixels(colors: .rgb, hasAlpha: layout.has_alpha != 0, is16Bit: layout.is_16_bit != 0)
    }

    var profile: [UInt8]? {
        guard layout.profile_bytes > 0, layout.profile_bytes <= 16 << 20 else { return nil }
        var bytes = [UInt8](repeating: 0, count: layout.profile_bytes)
        return ink_heif_read_profile(reader, &bytes) != 0 ? bytes : nil
    }

    func metadata(isExif: Bool) -> [UInt8]? {
        let count = ink_heif_metadata_bytes(reader, isExif ? 1 : 0)
        guard count > 0, count <= 1 << 24 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return ink_heif_read_metadata(reader, isExif ? 1 : 0, &bytes) != 0 ? bytes : nil
    }

    func decode() throws(EngineError) {
        guard ink_heif_decode(reader, layout.width, layout.height) != 0 else { throw error() }
    }

    /// - Precondition: `row` has room for a row of `pixels`, and the picture is decoded.
    func copyRow(_ y: Int, into row: UnsafeMutablePointer<UInt8>) { ink_heif_copy_row(reader, UInt32(y), row) }

    private func error() -> EngineError {
        .badInput(place, reason: "the \(name) cannot be read: \(String(cString: ink_heif_error(reader)))")
    }
}
