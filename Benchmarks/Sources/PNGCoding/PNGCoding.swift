import CPNGReference
import Dispatch
import Foundation
import InkCodecs
import InkEngine

/// How fast pictures are encoded and decoded, and how large they become, beside libpng's.
///
///     swift run -c release --package-path Benchmarks PNGCoding PNG...
///
/// Each picture is encoded in bands of 64 rows, for each effort and level of kernels: MB/s by one thread, and how many
/// times as fast two threads are, that take the bands in turns; medians of nine times. Sizes are shares of what libpng makes
/// at zlib's levels 6 and 9. MB are of raw pixels.
@main
enum PNGCoding {
    static let bandRowCount = 64
    static let rounds = 9

    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard !paths.isEmpty else {
            print("usage: PNGCoding PNG...")
            exit(2)
        }
        print("| picture | effort | kernels | MB/s | two threads, times one | of libpng 6 | of libpng 9 |")
        print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
        for path in paths {
            let png = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let name = URL(fileURLWithPath: path).lastPathComponent
            let picture = try Picture(png, name: name)
            for effort in EncodingEffort.allCases {
                for level in KernelLevel.available { try report(picture, effort, level) }
            }
            try reportDecoding(png, of: picture)
        }
    }

    struct Picture {
        let name: String
        let width: Int
        let format: PixelFormat
        let pixels: [UInt8]
        let libpng6: Int
        let libpng9: Int

        init(_ png: [UInt8], name: String) throws {
            self.name = name
            var pixels: [UInt8] = []
            var constants: [(at: Int, chunk: DecodedChunk)] = []
            let info = try PNGDecoder.decode(png, as: .color, place: Place(file: name)) { chunk in
                switch chunk.content {
                case .samples(let samples): pixels += samples
                case .constant: constants.append((pixels.count, chunk))
                }
            }
            let bytesPerPixel = info.format == .rgba8 ? 4 : 3
            for (at, chunk) in constants.reversed() {
                guard case .constant(let value) = chunk.content else { continue }
                let pixel = (0..<bytesPerPixel).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                let count = chunk.rows.count * info.size.width
                pixels.insert(contentsOf: (0..<count).flatMap { _ in pixel }, at: at)
            }
            width = info.size.width
            format = bytesPerPixel == 4 ? .rgba : .rgb
            self.pixels = pixels
            func size(level: Int32) -> Int {
                png_reference_size(
                    pixels, UInt32(info.size.width), UInt32(info.size.height), Int32(bytesPerPixel), level)
            }
            libpng6 = size(level: 6)
            libpng9 = size(level: 9)
        }
    }

    static func report(_ picture: Picture, _ effort: EncodingEffort, _ level: KernelLevel) throws {
        // Each is used by one thread at a time.
        nonisolated(unsafe) let encoders = [BandEncoder(level: level), BandEncoder(level: level)]
        var byteCount = 0
        let one = median { byteCount = encode(picture, effort, by: encoders[0], share: 0, of: 1) }
        let two = median {
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                _ = encode(picture, effort, by: encoders[index], share: index, of: 2)
            }
        }
        print(
            "| \(picture.name) | \(effort) | \(level.name) | \(rate(picture, one)) | "
                + String(
                    format: "%.2f | %.3f | %.3f |", one / two, Double(byteCount) / Double(picture.libpng6),
                    Double(byteCount) / Double(picture.libpng9)))
    }

    /// Encodes every `count`th band from the `share`th on; the bytes that they take.
    static func encode(
        _ picture: Picture, _ effort: EncodingEffort, by encoder: BandEncoder, share: Int, of count: Int
    ) -> Int {
        let bandByteCount = bandRowCount * picture.width * (picture.format == .rgba ? 4 : 3)
        var byteCount = 0
        for start in stride(from: share * bandByteCount, to: picture.pixels.count, by: count * bandByteCount) {
            let end = min(start + bandByteCount, picture.pixels.count)
            let encoding = PieceEncoding(PictureEncoding(effort: effort), isLast: end == picture.pixels.count)
            let band = picture.pixels.withUnsafeBytes { bytes in
                try! encoder.encode(
                    pixels: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), width: picture.width,
                    format: picture.format, encoding: encoding)
            }
            byteCount += band.bytes.count
        }
        return byteCount
    }

    static func reportDecoding(_ png: [UInt8], of picture: Picture) throws {
        let seconds = try median {
            _ = try PNGDecoder.decode(png, as: .color, place: Place(file: picture.name)) { _ in }
        }
        print("| \(picture.name) | decoding | \(KernelLevel.selected.name) | \(rate(picture, seconds)) | | | |")
    }

    static func rate(_ picture: Picture, _ seconds: Double) -> Int {
        Int(Double(picture.pixels.count) / seconds / 1e6)
    }

    static func median(_ work: () throws -> Void) rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<rounds {
            let start = DispatchTime.now().uptimeNanoseconds
            try work()
            times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
        }
        return times.sorted()[rounds / 2]
    }
}
