import InkCodecs
import InkEngine
import Testing

/// Pictures that rsvg-convert of librsvg 2.54 made of the same files.
@Suite("SVG files are drawn as the library's own program draws them")
struct SVGConformanceTests {
    private static let place = Place(file: "a.svg")

    private static func rgba(
        _ file: [UInt8], _ raster: VectorRaster?
    ) throws -> (size: PixelSize, pixels: [UInt8]) {
        var pixels: [UInt8] = []
        let info = try ImageDecoders.decode(file, as: .color, raster: raster, place: place) { chunk in
            switch chunk.content {
            case .samples(let samples): pixels += samples
            case .constant(let value):
                let pixel = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
                for _ in 0..<(chunk.rows.count * (raster?.part.width ?? 0)) { pixels += pixel }
            }
        }
        return (info.size, pixels)
    }

    @Test(arguments: [("shapes", 96, 72), ("paints", 120, 90)])
    func likeRsvgConvert(name: String, width: Int, height: Int) throws {
        let file = try PNGData.bytes("svg/\(name).svg")
        let raster = VectorRaster(whole: PixelSize(width: width, height: height))
        let (size, found) = try Self.rgba(file, raster)
        let expected = try PNGDecoder.decodeRGBA(try PNGData.bytes("svg/\(name).png"), place: Self.place)
        #expect(size == expected.0)
        try #require(found.count == expected.1.count)
        var (sum, large) = (0, 0)
        for index in stride(from: 0, to: found.count, by: 4) {
            for channel in 0..<4 {
                // Premultiplied: where little is seen, its colour counts little.
                let (a, b) = (Int(found[index + 3]), Int(expected.1[index + 3]))
                let value =
                    channel == 3
                    ? (a, b) : (Int(found[index + channel]) * a / 255, Int(expected.1[index + channel]) * b / 255)
                let difference = abs(value.0 - value.1)
                sum += difference
                if difference > 6 { large += 1 }
            }
        }
        #expect(Double(sum) / Double(found.count) <= 0.5)
        #expect(Double(large) / Double(found.count) <= 0.001)
    }

    @Test("A part of a raster has the pixels of the whole")
    func parts() throws {
        let file = try PNGData.bytes("svg/shapes.svg")
        let whole = PixelSize(width: 300, height: 200)
        let (_, all) = try Self.rgba(file, VectorRaster(whole: whole))
        for part in [
            PixelRect(x: 0, y: 0, width: 1, height: 1), PixelRect(x: 299, y: 0, width: 1, height: 200),
            PixelRect(x: 31, y: 57, width: 130, height: 99),
        ] {
            let (size, pixels) = try Self.rgba(file, VectorRaster(whole: whole, part: part))
            #expect(size == part.size)
            for y in 0..<part.height {
                let start = ((part.y + y) * whole.width + part.x) * 4
                let row = pixels[(y * part.width * 4)..<((y + 1) * part.width * 4)]
                #expect(
                    zip(row, all[start..<(start + part.width * 4)]).allSatisfy { abs(Int($0) - Int($1)) <= 2 },
                    "row \(y) of \(part)")
            }
        }
    }
}
