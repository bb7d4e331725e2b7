import CColor
package import InkEngine

/// Pictures of painting programs' layers (`PackedPicture`) as images of layers.
package struct PackedImages: ImageDecoder {
    package init() {}

    package var name: String { "packed layer" }
    package var fileType: FileType? { nil }
    package var library: ImageLibrary { ImageLibrary("own reader") }

    package func recognizes(_ file: [UInt8]) -> Bool { file.starts(with: PackedPicture.magic) }

    package func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        let picture = try PackedPicture(reading: file, place: place)
        var header = ImageHeader(size: picture.size, isHeldWhole: false, hasAlpha: picture.mayBeTransparent)
        if picture.colors == .cmyk { header.inks = StoredPixels.inks(picture.profile.isEmpty ? nil : picture.profile) }
        return header
    }

    package func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        let picture = try PackedPicture(reading: file, place: place)
        try header(file, place: place).check(against: limits, place: place)
        return try file.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            let pixels = try wrapping(place) { () throws(PlaneFault) in try PackedPixels(picture, bytes) }
            let profile = convertsProfiles && pixels.keepsColors && !picture.profile.isEmpty ? picture.profile : nil
            var rows = StoredRows(picture.size, pixels.stored, profile: profile, as: use)
            for _ in 0..<picture.size.height {
                try wrapping(place) { () throws(PlaneFault) in try pixels.readRow() }
                try rows.append(pixels.row.base, onChunk: onChunk)
            }
            return try rows.finish(onChunk: onChunk)
        }
    }

    private func wrapping<Value>(_ place: Place, _ body: () throws(PlaneFault) -> Value) throws(EngineError) -> Value {
        do throws(PlaneFault) { return try body() } catch {
            throw .badInput(place, reason: "the layer is damaged: \(error.reason)")
        }
    }
}

/// The pixels of a packed picture, row by row, as `StoredRows` takes them.
private final class PackedPixels {
    private let picture: PackedPicture
    private let planes: [(rows: any PlaneRows, buffer: RowBuffer)]
    private let lab: ColorConversion?
    /// Pixels with all their samples, before colours that `StoredRows` does not know have been converted.
    private let gathered: RowBuffer
    let stored: StoredPixels
    /// The row that was read last.
    let row: RowBuffer

    /// Whether the colours are still those of the file.
    var keepsColors: Bool { picture.samples == .integer8 || picture.samples == .integer16 }

    init(_ picture: PackedPicture, _ file: UnsafeBufferPointer<UInt8>) throws(PlaneFault) {
        self.picture = picture
        let width = picture.size.width
        var planes: [(any PlaneRows, RowBuffer)] = []
        for plane in picture.planes {
            let rowBytes = picture.rowBytes(of: plane)
            planes.append(
                (
                    try Self.rows(plane, of: picture, UnsafeBufferPointer(rebasing: file[plane.range]), rowBytes),
                    RowBuffer(byteCount: rowBytes)
                ))
        }
        self.planes = planes
        let is16Bit = picture.samples != .integer8
        switch picture.colors {
        case .gray, .bitmap: stored = StoredPixels(colors: .gray, hasAlpha: picture.hasAlpha, is16Bit: is16Bit)
        case .rgb: stored = StoredPixels(colors: .rgb, hasAlpha: picture.hasAlpha, is16Bit: is16Bit)
        case .cmyk: stored = StoredPixels(colors: .cmyk, hasAlpha: picture.hasAlpha, is16Bit: is16Bit)
        case .lab: stored = StoredPixels(colors: .rgb, hasAlpha: picture.hasAlpha)
        case .indexed: stored = StoredPixels(colors: .rgb, hasAlpha: picture.mayBeTransparent)
        }
        lab = picture.colors == .lab ? ColorConversion(labWithAlpha: picture.hasAlpha, is16Bit: is16Bit) : nil
        if picture.colors == .lab, lab == nil { throw PlaneFault(reason: "Lab colours cannot be converted") }
        row = RowBuffer(byteCount: width * max(stored.byteCount, picture.pixelBytes))
        gathered = RowBuffer(byteCount: width * max(4, picture.pixelBytes))
    }

    private static func rows(
        _ plane: PackedPicture.Plane, of picture: PackedPicture, _ bytes: UnsafeBufferPointer<UInt8>, _ rowBytes: Int
    ) throws(PlaneFault) -> any PlaneRows {
        let height = picture.size.height
        switch plane.packing {
        case .raw: return RawRows(bytes, rowBytes: rowBytes)
        case .packBits: return try PackBitsRows(bytes, rowBytes: rowBytes, rowCount: height, isLong: false)
        case .packBitsLong: return try PackBitsRows(bytes, rowBytes: rowBytes, rowCount: height, isLong: true)
        case .deflate: return try InflatedRows(bytes, rowBytes: rowBytes)
        case .deflatePredicted:
            return PredictedRows(
                try InflatedRows(bytes, rowBytes: rowBytes),
                width: picture.colors == .bitmap ? rowBytes : picture.size.width, samples: picture.samples)
        case .tiles: return try TileRows(bytes, picture)
        }
    }

    func readRow() throws(PlaneFault) {
        for (rows, buffer) in planes { try rows.next(into: buffer.base) }
        let width = picture.size.width
        switch picture.colors {
        case .bitmap:
            for x in 0..<width { row.base[x] = planes[0].buffer.base[x / 8] >> (7 - UInt8(x % 8)) & 1 == 1 ? 0 : 255 }
        case .indexed:
            let alpha = picture.hasAlpha ? planes.last?.buffer.base : nil
            let hasAlpha = stored.hasAlpha
            let count = hasAlpha ? 4 : 3
            for x in 0..<width {
                let entry = 4 * Int(planes[0].buffer.base[x])
                for k in 0..<3 {
                    row.base[count * x + k] = entry < picture.palette.count ? picture.palette[entry + k] : 0
                }
                guard hasAlpha else { continue }
                let own = entry < picture.palette.count ? picture.palette[entry + 3] : 0
                row.base[4 * x + 3] = alpha.map { UInt8((Int($0[x]) * Int(own) + 127) / 255) } ?? own
            }
        case .gray, .rgb, .cmyk, .lab:
            gather(into: lab == nil ? row : gathered)
            lab?.convert(gathered.base, into: row.base, width: width)
        }
    }

    /// All samples of each pixel together, in the processor's byte order; floating point ones as 16 bits in sRGB.
    private func gather(into out: RowBuffer) {
        let (width, count) = (picture.size.width, picture.sampleCount)
        let sampleBytes = picture.samples.byteCount
        if planes.count == 1, picture.planes[0].channel == PackedPicture.Plane.all {
            out.base.update(from: planes[0].buffer.base, count: width * count * sampleBytes)
            if picture.isReversed { reverse(out.base) }
        } else {
            var pointers = planes.map { UnsafePointer($0.buffer.base) as UnsafePointer<UInt8>? }
            ink_color_interleave(&pointers, Int32(count), Int32(sampleBytes), width, out.base)
        }
        let total = width * count
        switch picture.samples {
        case .integer8: break
        case .integer16:
            if picture.isBigEndian { ink_color_swap_16(out.base, total) }
        case .float16, .float32:
            ink_color_from_float(
                out.base, Int32(sampleBytes), picture.isBigEndian ? 1 : 0, Int32(count), picture.hasAlpha ? 1 : 0,
                picture.isPlain ? 1 : 0, width)
        }
        let is16Bit: Int32 = picture.samples == .integer8 ? 0 : 1
        if picture.colors == .cmyk, !picture.isReversed {
            ink_color_invert(out.base, 4, picture.hasAlpha ? 1 : 0, is16Bit, width)
        }
        if picture.range != (0, 255) {
            ink_color_limit(out.base, is16Bit, total, Int32(picture.range.low), Int32(picture.range.high))
        }
        if picture.isOnWhite, picture.hasAlpha, picture.samples == .integer8 {
            ink_color_off_white(out.base, Int32(count), width)
        }
    }

    /// Red first in place of blue.
    private func reverse(_ pixels: UnsafeMutablePointer<UInt8>) {
        let (count, bytes) = (picture.sampleCount, picture.samples.byteCount)
        guard picture.colors.count == 3 else { return }
        for x in 0..<picture.size.width {
            for k in 0..<bytes {
                let first = pixels + count * bytes * x + k
                (first[0], first[2 * bytes]) = (first[2 * bytes], first[0])
            }
        }
    }
}
