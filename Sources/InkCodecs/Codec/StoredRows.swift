import CColor
import InkEngine

/// The kinds of pixels that files hold.
struct StoredPixels {
    enum Colors: Int32 {
        case gray = 1
        case rgb = 3
        /// 255 is full ink.
        case cmyk = 4
    }

    var colors: Colors
    /// Straight, after the colours.
    var hasAlpha = false
    /// Samples in the processor's byte order.
    var is16Bit = false

    /// The inks of a CMYK image with this profile.
    static func inks(_ profile: [UInt8]?) -> ImageHeader.Inks {
        profile.flatMap { ColorConversion(profile: $0, StoredPixels(colors: .cmyk)) } == nil ? .plain : .profiled
    }

    var byteCount: Int { (Int(colors.rawValue) + (hasAlpha ? 1 : 0)) * (is16Bit ? 2 : 1) }
}

/// Takes the rows of a file as they are stored, and passes on chunks of the image as it is seen: in sRGB or gray of
/// 8 bits, and upright.
///
/// An image that is stored upright is passed on row by row, any other is held whole: `size.area` pixels of up to four
/// bytes.
struct StoredRows {
    private let stored: PixelSize
    private let pixels: StoredPixels
    private let orientation: ImageOrientation
    private let conversion: ColorConversion?
    /// The number of channels of a converted pixel.
    private let channels: Int
    private var assembler: ChunkAssembler
    private var nextRow = 0
    /// One row, or all of them.
    private let converted: RowBuffer?
    /// A row as it is seen.
    private let turned: RowBuffer?

    /// - Parameters:
    ///   - stored: within the limits.
    ///   - profile: an ICC profile to convert from; one that cannot be used, or is for other colours, is ignored.
    init(
        _ stored: PixelSize, _ pixels: StoredPixels, _ orientation: ImageOrientation = .upright,
        profile: [UInt8]? = nil, as use: ImageUse
    ) {
        self.stored = stored
        self.pixels = pixels
        self.orientation = orientation
        // Samples in sRGB stay as they are.
        conversion = profile.flatMap { $0 == SRGBProfile.bytes ? nil : ColorConversion(profile: $0, pixels) }
        let isGray = pixels.colors == .gray && conversion == nil && use == .mask
        channels = (isGray ? 1 : 3) + (pixels.hasAlpha ? 1 : 0)
        let size = orientation.turned(stored)
        assembler = ChunkAssembler(size: size, channels: channels, use: use)
        let isTurned = orientation != .upright
        let needsConversion = conversion != nil || pixels.byteCount != channels || pixels.is16Bit
        let rows = isTurned ? stored.height : needsConversion ? 1 : 0
        converted = rows == 0 ? nil : RowBuffer(byteCount: rows * stored.width * channels)
        turned = isTurned ? RowBuffer(byteCount: size.width * channels) : nil
    }

    /// Takes the next row of the file.
    ///
    /// - Precondition: `row` has `width` pixels, and fewer than `height` rows have been taken.
    mutating func append(
        _ row: UnsafePointer<UInt8>, onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) {
        precondition(nextRow < stored.height, "more rows than the image has")
        var ready = row
        if let converted {
            let into = converted.base + (turned == nil ? 0 : nextRow * stored.width * channels)
            convert(row, into: into)
            ready = UnsafePointer(into)
        }
        nextRow += 1
        if turned == nil, let chunk = assembler.append(ready) { try onChunk(chunk) }
    }

    /// Passes on what is left, after the last row.
    mutating func finish(
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        precondition(nextRow == stored.height, "fewer rows than the image has")
        if let converted, let turned {
            let size = orientation.turned(stored)
            for y in 0..<size.height {
                let (first, step) = orientation.pixels(ofRow: y, stored: stored)
                ink_color_gather(
                    converted.base + first * channels, step * channels, Int32(channels), size.width, turned.base)
                if let chunk = assembler.append(turned.base) { try onChunk(chunk) }
            }
        }
        return assembler.info
    }

    private func convert(_ row: UnsafePointer<UInt8>, into: UnsafeMutablePointer<UInt8>) {
        if let conversion {
            conversion.convert(row, into: into, width: stored.width)
        } else {
            ink_color_plain(
                row, pixels.colors.rawValue, pixels.hasAlpha ? 1 : 0, pixels.is16Bit ? 1 : 0,
                Int32(channels), stored.width, into)
        }
    }
}

/// From a profile's colours to sRGB, relative colorimetric with black point compensation. For one thread at a time.
final class ColorConversion {
    private let transform: OpaquePointer

    /// nil for a profile that is damaged, too large or not for such colours.
    init?(profile: [UInt8], _ pixels: StoredPixels) {
        let transform = profile.withUnsafeBufferPointer {
            ink_color_open(
                $0.baseAddress, $0.count, pixels.colors.rawValue, pixels.hasAlpha ? 1 : 0, pixels.is16Bit ? 1 : 0)
        }
        guard let transform else { return nil }
        self.transform = transform
    }

    /// From Lab as Photoshop keeps it. nil without memory.
    init?(labWithAlpha hasAlpha: Bool, is16Bit: Bool) {
        guard let transform = ink_color_open_lab(hasAlpha ? 1 : 0, is16Bit ? 1 : 0) else { return nil }
        self.transform = transform
    }

    deinit { ink_color_close(transform) }

    /// To RGB of 8 bits, with alpha where the row has it.
    func convert(_ row: UnsafePointer<UInt8>, into: UnsafeMutablePointer<UInt8>, width: Int) {
        ink_color_convert(transform, row, width, into)
    }
}
