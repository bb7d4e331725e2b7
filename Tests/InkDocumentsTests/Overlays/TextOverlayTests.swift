import Foundation
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite("Texts over pictures")
struct TextOverlayTests {
    private let place = Place(file: "marks.json", path: "overlays[0].text")

    static func font(_ name: String) throws -> Font {
        let path = "/usr/share/fonts/truetype/dejavu/\(name).ttf"
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        return try Font(bytes, place: Place(file: path))
    }

    private func overlay(
        _ text: String, _ style: TextOverlay.Style = TextOverlay.Style(), fonts: [String] = ["DejaVuSans"]
    ) throws -> TextOverlay {
        try TextOverlay(text, fonts: try fonts.map(Self.font), style: style, place: place)
    }

    /// The columns and rows of the raster's box in which there is ink.
    private func ink(_ raster: OverlayRaster) -> Rect {
        var box = Rect.empty
        for y in 0..<raster.rect.height {
            for x in 0..<raster.rect.width where raster.pixels[4 * (y * raster.rect.width + x) + 3] > 0 {
                box.formUnion(Point(x: Double(raster.rect.x + x), y: Double(raster.rect.y + y)))
                box.formUnion(Point(x: Double(raster.rect.x + x + 1), y: Double(raster.rect.y + y + 1)))
            }
        }
        return box
    }

    @Test("A line is as wide as its glyphs and as high as its font")
    func box() throws {
        let text = try overlay("© Ink 2026 — Ågjpq")
        #expect(try text.box(size: 48) == PixelSize(width: 490, height: 56))
        var layout = OverlayLayout()
        layout.size = .own
        let target = OverlayTarget(size: PixelSize(width: 2048, height: 1536))
        let rect = layout.place(try text.box(size: 48), on: target)
        #expect((rect.x, rect.y) == (1542, 1464))
        let raster = try text.raster(size: 48, unit: 1, limits: Limits())
        #expect(raster.rect == PixelRect(x: 0, y: 0, width: 490, height: 56))
        let ink = ink(raster)
        // Of a renderer that does not hint: 479x55 at (6, 0).
        #expect(abs(ink.minX - 6) <= 1 && abs(ink.maxX - 485) <= 1)
        #expect(ink.minY <= 1 && abs(ink.maxY - 55) <= 1)
    }

    @Test("Letters without and with descenders stand on one baseline, 45 rows below the top at 48 pixels")
    func baseline() throws {
        for text in ["aceE", "HAM"] {
            let raster = try overlay(text).raster(size: 48, unit: 1, limits: Limits())
            #expect(raster.rect.height == 56)
            #expect(abs(ink(raster).maxY - 45) <= 1, "\(text)")
        }
        // The stem of H ends exactly at the baseline: no row below it.
        #expect(ink(try overlay("H").raster(size: 48, unit: 1, limits: Limits())).maxY == 45)
    }

    @Test("A letter covers its area: the stem and bars of H at a size where all edges are known")
    func area() throws {
        // In DejaVu Sans, H has stems 201 units wide, 1493 high, and a bar of 170: all in 2048 units to the em.
        let size = 2048.0 / 16
        let raster = try overlay("H").raster(size: size, unit: 1, limits: Limits())
        let sum = stride(from: 3, to: raster.pixels.count, by: 4).reduce(0.0) { $0 + Double(raster.pixels[$1]) / 255 }
        var polygonArea = 0.0
        let font = try Self.font("DejaVuSans")
        let glyph = try font.shape([72], 0..<1, isRightToLeft: false, script: 0)[0]
        for polygon in try font.outline(glyph.number).polygons({ $0 }) {
            var last = try #require(polygon.last)
            for corner in polygon {
                polygonArea += (last.x * corner.y - last.y * corner.x) / 2
                last = corner
            }
        }
        #expect(abs(sum - abs(polygonArea) / 256) < 0.005 * sum)
        #expect(Set(stride(from: 3, to: raster.pixels.count, by: 4).map { raster.pixels[$0] }).contains(255))
    }

    @Test("Holes of letters stay empty")
    func holes() throws {
        let raster = try overlay("O").raster(size: 100, unit: 1, limits: Limits())
        let middle = 4 * (63 * raster.rect.width + raster.rect.width / 2) + 3
        #expect(raster.pixels[middle] == 0)
    }

    @Test("Every cell of a wide text is drawn alike")
    func wide() throws {
        let one = try overlay("HHHH").raster(size: 40, unit: 1, limits: Limits())
        let long = try overlay(String(repeating: "HHHH", count: 40)).raster(size: 40, unit: 1, limits: Limits())
        #expect(long.rect.width > 2 * 1024)
        let alpha = { (raster: OverlayRaster) in
            stride(from: 3, to: raster.pixels.count, by: 4).reduce(0.0) { $0 + Double(raster.pixels[$1]) }
        }
        #expect(abs(alpha(long) / alpha(one) - 40) < 0.05)
    }

    @Test("An outline and a shadow enlarge the raster, not the box, and lie under the letters")
    func effects() throws {
        var style = TextOverlay.Style()
        (style.outline, style.shadowBlur) = (3, 8)
        style.color = RGBA8(red: 255, green: 255, blue: 255)
        let text = try overlay("Ink", style)
        #expect(try text.box(size: 60) == overlay("Ink").box(size: 60))
        let raster = try text.raster(size: 60, unit: 1, limits: Limits())
        let plain = try overlay("Ink").raster(size: 60, unit: 1, limits: Limits())
        #expect(raster.rect.x < 0 && raster.rect.width > plain.rect.width)
        for y in 0..<plain.rect.height {
            for x in 0..<plain.rect.width where plain.pixels[4 * (y * plain.rect.width + x) + 3] == 255 {
                let at = 4 * ((y - raster.rect.y) * raster.rect.width + x - raster.rect.x)
                #expect(Array(raster.pixels[at..<(at + 4)]) == [255, 255, 255, 255])
            }
        }
        // Of a pixel just outside of the stem of I: black with 0.7, over the shadow.
        #expect(raster.pixels.contains(where: { $0 == 0 }))
    }

    @Test("Text from right to left stands from right to left, joined")
    func rightToLeft() throws {
        let font = try Self.font("DejaVuSans")
        let line = try TextLine("سلام", fonts: [font], place: place)
        // Joined letters are other glyphs than single ones.
        let single = try "سلام".unicodeScalars.map { scalar in
            try font.shape([scalar.value], 0..<1, isRightToLeft: true, script: 0)[0].number
        }
        #expect(Set(line.glyphs.map(\.number)).isDisjoint(with: single.dropLast()))
        let hebrew = try TextLine("אבג", fonts: [font], place: place)
        let letters = try "אבג".unicodeScalars.map { scalar in
            try font.shape([scalar.value], 0..<1, isRightToLeft: true, script: 0)[0].number
        }
        #expect(hebrew.glyphs.map(\.number) == letters.reversed())
        // A number inside keeps its own direction, and Latin text around it its place.
        let mixed = try TextLine("a אב 12 b", fonts: [font], place: place)
        let plain = try TextLine("a 12 בא b".replacing("בא", with: "xy"), fonts: [font], place: place)
        #expect(mixed.glyphs.count == plain.glyphs.count)
        #expect(mixed.glyphs.first?.number == plain.glyphs.first?.number)
        #expect(mixed.glyphs[1].number == plain.glyphs[1].number)
        #expect(mixed.glyphs.last?.number == plain.glyphs.last?.number)
    }

    @Test("What a font lacks comes from the next one, and what none has is an error that names it")
    func missing() throws {
        let reason = { (text: String) throws -> String in
            do {
                _ = try overlay(text)
                return ""
            } catch { return "\(error)" }
        }
        #expect(try reason("漢").contains("DejaVu Sans has no glyph for \"漢\" (U+6F22)"))
        // DejaVu Sans Bold lacks nothing of this; the first font gives the height.
        let mixed = try TextLine(
            "Aـ", fonts: [Self.font("DejaVuSansMono-Bold"), Self.font("DejaVuSans")], place: place)
        #expect(mixed.glyphs.count == 2)
    }

    @Test(
        "Texts that are no line are refused",
        arguments: [
            ("a\nb", "line break"), ("a\u{2028}b", "line break"), ("a\u{7}b", "U+0007"), ("", "nothing"),
            ("  ", "nothing"),
        ])
    func refused(text: String, reason: String) throws {
        do {
            _ = try overlay(text)
            Issue.record("\(text.debugDescription) was accepted")
        } catch {
            #expect("\(error)".contains(reason) && "\(error)".contains("overlays[0].text"))
        }
    }

    @Test("Long texts and large fonts are refused")
    func limits() throws {
        #expect(throws: EngineError.self) { try overlay(String(repeating: "a", count: 1001)) }
        let text = try overlay(String(repeating: "a", count: 1000))
        #expect(throws: EngineError.self) { try text.box(size: 2001) }
        #expect(throws: EngineError.self) { try text.raster(size: 2000, unit: 1, limits: Limits()) }
    }

    @Test("A blur keeps the sum and is even")
    func gaussian() {
        for deviation in [0.5, 1, 4, 20.0] {
            let size = PixelSize(width: 161, height: 141)
            var values = [Float](repeating: 0, count: size.area)
            values[70 * 161 + 80] = 1
            Gaussian(deviation: deviation).blur(&values, size)
            #expect(abs(values.reduce(0, +) - 1) < 1e-4)
            let peak = Double(values[70 * 161 + 80])
            #expect(abs(peak - 1 / (2 * Double.pi * deviation * deviation)) < (deviation < 1 ? 0.05 : 0.02) * peak)
            #expect(values[70 * 161 + 83] == values[70 * 161 + 77])
            #expect(values[73 * 161 + 80] == values[67 * 161 + 80])
        }
    }
}
