import CPNGReference
import Dispatch
import Foundation
import InkEngine

/// How fast pictures are encoded and decoded, and how large they become, beside libpng's.
///
///     swift run -c release --package-path Benchmarks PNGCoding PNG...
///
/// Each picture is encoded in bands of 64 rows by one thread, for each effort and level of kernels, the median of five
/// times; sizes are shares of what libpng makes at zlib's levels 6 and 9. MB are of raw pixels.
@main
enum PNGCoding {
    static let bandRowCount = 64
    static let rounds = 5

    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard !paths.isEmpty else {
            print("usage: PNGCoding PNG...")
            exit(2)
        }
        print("| picture | effort | kernels | MB/s | of libpng 6 | of libpng 9 |")
        print("| --- | --- | --- | ---: | ---: | ---: |")
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
        let format: OutputFormat
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
        let encoder = BandEncoder(level: level)
        let bandByteCount = bandRowCount * picture.width * (picture.format == .rgba ? 4 : 3)
        var byteCount = 0
        let seconds = try median {
            byteCount = 0
            for start in stride(from: 0, to: picture.pixels.count, by: bandByteCount) {
                let end = min(start + bandByteCount, picture.pixels.count)
                let encoding = BandEncoding(effort: effort, isLast: end == picture.pixels.count)
                byteCount += try picture.pixels.withUnsafeBytes { bytes in
                    let band = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    return try encoder.encode(
                        pixels: band, width: picture.width, format: picture.format, encoding: encoding
                    ).bytes.count
                }
            }
        }
        print(
            "| \(picture.name) | \(effort) | \(level.name) | \(rate(picture, seconds)) | "
                + String(
                    format: "%.3f | %.3f |", Double(byteCount) / Double(picture.libpng6),
                    Double(byteCount) / Double(picture.libpng9)))
    }

    static func reportDecoding(_ png: [UInt8], of picture: Picture) throws {
        let seconds = try median {
            _ = try PNGDecoder.decode(png, as: .color, place: Place(file: picture.name)) { _ in }
        }
        print("| \(picture.name) | decoding | \(KernelLevel.selected.name) | \(rate(picture, seconds)) | | |")
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
