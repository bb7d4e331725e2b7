import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// Small documents of painting programs, made here, against pixels that were computed by hand.
@Suite struct DrawnDocumentTests {
    typealias Pixel = SIMD4<Double>

    /// Red, green, blue and alpha, 0...1, straight.
    func pixels(of bytes: [UInt8], _ name: String) throws -> (
        pixels: [Pixel], warnings: [String], project: Project
    ) {
        let reading = try ProjectLoader.load(bytes: bytes, name: name)
        let picture = try DocumentPictures.picture(of: reading.project)
        let pixels = (0..<picture.size.area).map { index in
            Pixel((0..<4).map { Double(picture.pixels[4 * index + $0]) / 255 })
        }
        return (pixels, reading.warnings.map(\.description), reading.project)
    }

    /// Colours of transparent pixels do not count.
    func isNear(_ a: Pixel, _ b: Pixel) -> Bool {
        let (x, y) = (a * a.w, b * b.w)
        return abs(a.w - b.w) < 0.012 && (0..<3).allSatisfy { abs(x[$0] - y[$0]) < 0.012 }
    }

    static let (red, green, blue, white, clear) = (
        Pixel(1, 0, 0, 1), Pixel(0, 1, 0, 1), Pixel(0, 0, 1, 1), Pixel(1, 1, 1, 1), Pixel(0, 0, 0, 0)
    )

    func faint(_ color: Pixel, _ alpha: Double) -> Pixel { Pixel(color.x, color.y, color.z, alpha) }

    func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        var stored = ZipArchive()
        var bytes: [UInt8] = []
        for file in files { bytes += stored.add(file.name, file.bytes[...], crc: crc32(file.bytes)) }
        return bytes + stored.end(commentCount: 0).flatMap { $0 }
    }
}
