import FuzzSupport
import InkCodecs
import InkEngine

private let limits: Limits = {
    var limits = Limits()
    limits.imagePixels = 1 << 18
    limits.interlacedImagePixels = 1 << 18
    return limits
}()

private let place = Place(file: "fuzz")

/// Whatever the bytes, decoding returns or throws, and what comes out has the size that it says.
private func check(_ file: [UInt8], as use: ImageUse) {
    var rows = 0
    var sampleBytes: [(rows: Int, bytes: Int)] = []
    do {
        let info = try ImageDecoders.decode(file, as: use, place: place, limits: limits) { chunk in
            precondition(chunk.rows.lowerBound == rows && !chunk.rows.isEmpty)
            rows = chunk.rows.upperBound
            if case .samples(let samples) = chunk.content { sampleBytes.append((chunk.rows.count, samples.count)) }
        }
        precondition(rows == info.size.height && info.size.area <= limits.imagePixels)
        for chunk in sampleBytes {
            precondition(chunk.bytes == chunk.rows * info.size.width * info.format.bytesPerPixel)
        }
    } catch {
        if case .internalError = error { fatalError("\(error)") }
        precondition(!error.description.contains("\n"), "an error of several lines")
    }
}

/// A PNG with right chunk checksums, without which a mutation would never get behind them.
private func withRightChecksums(_ png: [UInt8]) -> [UInt8] {
    var png = png
    var start = 8
    while start + 12 <= png.count {
        let length = png[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
        guard length <= png.count - start - 12 else { break }
        let checksum = crc32(png[(start + 4)..<(start + 8 + length)])
        for byte in 0..<4 {
            png[start + 8 + length + byte] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * byte))
        }
        start += 12 + length
    }
    return png
}

@_cdecl("FuzzImages_main")
func main(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    fuzz(count, arguments) { file in
        for use in ImageUse.allCases {
            check(file, as: use)
            if file.first == 0x89 { check(withRightChecksums(file), as: use) }
        }
    }
}
