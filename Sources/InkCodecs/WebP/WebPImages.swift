import CWebP
import InkEngine

/// WebP files as images of layers: lossy and lossless; of an animation the first frame, on a transparent ground.
struct WebPImages: ImageDecoder {
    var name: String { "WebP" }
    var fileType: FileType? { .webp }
    var library: ImageLibrary { ImageLibrary("libwebp") }

    func recognizes(_ file: [UInt8]) -> Bool {
        file.starts(with: Array("RIFF".utf8)) && file.dropFirst(8).starts(with: Array("WEBP".utf8))
    }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            try WebPFile(bytes, place: place).header
        }
    }

    func colors(of file: [UInt8]) -> FileColors {
        file.withUnsafeBufferPointer { bytes in
            // The error of a damaged file is that of decoding it.
            FileColors(profile: (try? WebPFile(bytes, place: Place(file: "")))?.profile)
        }
    }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            let webP = try WebPFile(bytes, place: place)
            try webP.header.check(against: limits, place: place)
            let stored = webP.stored
            let pixels = StoredPixels(colors: .rgb, hasAlpha: webP.layout.has_alpha != 0)
            let picture = RowBuffer(byteCount: stored.area * pixels.byteCount)
            var layout = webP.layout
            if let reason = ink_webp_decode(&layout, picture.base) {
                throw .badInput(place, reason: "the WebP is damaged: \(String(cString: reason))")
            }
            var rows = StoredRows(
                stored, pixels, webP.orientation, profile: convertsProfiles ? webP.profile : nil, as: use)
            for y in 0..<stored.height {
                try rows.append(picture.base + y * stored.width * pixels.byteCount, onChunk: onChunk)
            }
            return try rows.finish(onChunk: onChunk)
        }
    }
}

/// The parts of a file in memory, which must outlive it.
private struct WebPFile {
    let layout: ink_webp_layout

    init(_ file: UnsafeBufferPointer<UInt8>, place: Place) throws(EngineError) {
        var layout = ink_webp_layout()
        guard ink_webp_read_layout(file.baseAddress, file.count, &layout) != 0 else {
            throw .badInput(place, reason: "the WebP is damaged or ends too early")
        }
        self.layout = layout
    }

    var stored: PixelSize { PixelSize(width: Int(layout.width), height: Int(layout.height)) }

    var header: ImageHeader {
        ImageHeader(
            size: orientation.turned(stored), isHeldWhole: true, formatStreams: false, hasAlpha: layout.has_alpha != 0)
    }

    var orientation: ImageOrientation {
        let bytes = UnsafeBufferPointer(start: layout.exif, count: layout.exif_bytes)
        return ImageOrientation(exif: ExifSegment.withoutMark(bytes)[...])
    }

    var profile: [UInt8]? {
        layout.profile.map { Array(UnsafeBufferPointer(start: $0, count: layout.profile_bytes)) }
    }
}
