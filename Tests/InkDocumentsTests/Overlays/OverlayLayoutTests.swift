import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite("Layout of overlays")
struct OverlayLayoutTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var number: Int
        var picture: (Int, Int)
        var own: (Int, Int)
        var size: OverlayLayout.Size
        var keepsAspect = true
        var anchor: (OverlayLayout.Horizontal, OverlayLayout.Vertical)
        var margin: (Double, OverlayLayout.Unit)
        var offset = (0.0, 0.0)
        var expected: (width: Int, height: Int, x: Int, y: Int)
        /// The lower left corner where y grows upwards.
        var yUp: Int

        var testDescription: String { "vector \(number)" }
    }

    private static let automatic = OverlayLayout.Size.automatic(fraction: 0.18, min: 64, max: 512)
    private static func pixels(_ width: Double) -> OverlayLayout.Size { .pixels(width: width, height: nil) }

    static let vectors = [
        Vector(
            number: 1, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.right, .bottom),
            margin: (16, .pixels), expected: (276, 69, 1756, 1451), yUp: 16),
        Vector(
            number: 2, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.left, .top),
            margin: (16, .pixels), expected: (276, 69, 16, 16), yUp: 1451),
        Vector(
            number: 3, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.left, .bottom),
            margin: (16, .pixels), expected: (276, 69, 16, 1451), yUp: 16),
        Vector(
            number: 4, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.right, .top),
            margin: (16, .pixels), expected: (276, 69, 1756, 16), yUp: 1451),
        Vector(
            number: 5, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.center, .center),
            margin: (16, .pixels), expected: (276, 69, 886, 734), yUp: 733),
        Vector(
            number: 6, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.center, .top),
            margin: (16, .pixels), expected: (276, 69, 886, 16), yUp: 1451),
        Vector(
            number: 7, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.right, .center),
            margin: (16, .pixels), expected: (276, 69, 1756, 734), yUp: 733),
        Vector(
            number: 8, picture: (300, 200), own: (400, 100), size: automatic, anchor: (.right, .bottom),
            margin: (16, .pixels), expected: (64, 16, 220, 168), yUp: 16),
        Vector(
            number: 9, picture: (8192, 8192), own: (400, 100), size: automatic, anchor: (.right, .bottom),
            margin: (16, .pixels), expected: (512, 128, 7664, 8048), yUp: 16),
        Vector(
            number: 10, picture: (50, 40), own: (400, 100), size: automatic, anchor: (.right, .bottom),
            margin: (16, .pixels), expected: (64, 16, -30, 8), yUp: 16),
        Vector(
            number: 11, picture: (1001, 777), own: (333, 100), size: pixels(101), anchor: (.center, .center),
            margin: (16, .pixels), expected: (101, 30, 450, 374), yUp: 373),
        Vector(
            number: 12, picture: (1001, 777), own: (100, 100), size: pixels(100), anchor: (.center, .center),
            margin: (16, .pixels), expected: (100, 100, 451, 339), yUp: 338),
        Vector(
            number: 13, picture: (2048, 1536), own: (400, 100), size: .percent(width: 0.25), anchor: (.right, .bottom),
            margin: (0.02, .percent), expected: (512, 128, 1495, 1377), yUp: 31),
        Vector(
            number: 14, picture: (1001, 777), own: (300, 200), size: .percent(width: 0.333), anchor: (.left, .top),
            margin: (0.015, .percent), expected: (333, 222, 15, 12), yUp: 543),
        Vector(
            number: 15, picture: (1001, 777), own: (300, 200), size: .percent(width: 0.333), anchor: (.right, .bottom),
            margin: (0.015, .percent), offset: (-0.01, -0.02), expected: (333, 222, 643, 528), yUp: 27),
        Vector(
            number: 16, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.right, .bottom),
            margin: (16, .pixels), offset: (-8, -24), expected: (276, 69, 1748, 1427), yUp: 40),
        Vector(
            number: 17, picture: (2048, 1536), own: (400, 100), size: automatic, anchor: (.left, .top),
            margin: (16, .pixels), offset: (-8.5, 4.25), expected: (276, 69, 8, 20), yUp: 1447),
        Vector(
            number: 18, picture: (2048, 1536), own: (400, 100), size: pixels(2500), anchor: (.left, .top),
            margin: (0, .pixels), expected: (2500, 625, 0, 0), yUp: 911),
        Vector(
            number: 19, picture: (2048, 1536), own: (400, 100), size: pixels(200), anchor: (.right, .bottom),
            margin: (0, .pixels), expected: (200, 50, 1848, 1486), yUp: 0),
        Vector(
            number: 20, picture: (1920, 1080), own: (1, 3), size: pixels(1), anchor: (.left, .bottom),
            margin: (16, .pixels), expected: (1, 3, 16, 1061), yUp: 16),
        Vector(
            number: 21, picture: (640, 360), own: (400, 90), size: pixels(200), keepsAspect: false,
            anchor: (.center, .bottom), margin: (16, .pixels), expected: (200, 90, 220, 254), yUp: 16),
        Vector(
            number: 22, picture: (101, 101), own: (2, 1), size: pixels(50), anchor: (.center, .center),
            margin: (16, .pixels), offset: (-0.5, -0.5), expected: (50, 25, 25, 38), yUp: 38),
        Vector(
            number: 23, picture: (2048, 1536), own: (1000, 7), size: pixels(64), anchor: (.right, .top),
            margin: (16, .pixels), expected: (64, 1, 1968, 16), yUp: 1519),
        Vector(
            number: 24, picture: (4096, 3072), own: (400, 100), size: automatic, anchor: (.right, .bottom),
            margin: (0.01, .percent), expected: (512, 128, 3543, 2913), yUp: 31),
    ]

    private func layout(_ vector: Vector) -> OverlayLayout {
        var layout = OverlayLayout()
        layout.size = vector.size
        layout.keepsAspect = vector.keepsAspect
        (layout.horizontal, layout.vertical) = vector.anchor
        (layout.margin, layout.unit) = vector.margin
        (layout.offsetX, layout.offsetY) = vector.offset
        return layout
    }

    @Test("An overlay lies where it is asked to", arguments: vectors)
    func place(_ vector: Vector) throws {
        let target = OverlayTarget(size: PixelSize(width: vector.picture.0, height: vector.picture.1))
        let own = PixelSize(width: vector.own.0, height: vector.own.1)
        let layout = layout(vector)
        let rect = layout.place(try layout.size(own: own, on: target), on: target)
        let expected = vector.expected
        #expect(rect == PixelRect(x: expected.x, y: expected.y, width: expected.width, height: expected.height))
        #expect(target.size.height - rect.y - rect.height == vector.yUp)
        #expect(try layout.copies(rect.size, on: target) == [rect])
    }

    @Test("Margins and offsets in canvas pixels grow with the picture, in the shorter edge both are alike")
    func units() throws {
        var layout = OverlayLayout()
        (layout.margin, layout.unit, layout.offsetX) = (16, .canvas, -2)
        let size = PixelSize(width: 10, height: 10)
        for scale in 1...4 {
            let target = OverlayTarget(size: PixelSize(width: 100 * scale, height: 80 * scale), scale: Double(scale))
            let rect = layout.place(size, on: target)
            #expect(rect.x == 100 * scale - 18 * scale - 10)
            #expect(rect.y == 80 * scale - 16 * scale - 10)
        }
        (layout.margin, layout.unit, layout.offsetX) = (0.1, .shortSide, 0)
        let rect = layout.place(size, on: OverlayTarget(size: PixelSize(width: 300, height: 100)))
        #expect((rect.x, rect.y) == (280, 80))
    }

    private func copies(stagger: Double, gap: Double = 30) throws -> [PixelRect] {
        var layout = OverlayLayout()
        (layout.horizontal, layout.vertical) = (.left, .top)
        layout.repetition = OverlayLayout.Repetition(gapX: gap, gapY: gap - 10, stagger: stagger)
        return try layout.copies(
            PixelSize(width: 60, height: 20), on: OverlayTarget(size: PixelSize(width: 200, height: 100)))
    }

    @Test("A repeated overlay lies at all whole steps that meet the picture")
    func repeated() throws {
        let rows = [16, 56, 96]
        let columns = [16, 106, 196]
        let straight = try copies(stagger: 0).map { [$0.x, $0.y] }
        #expect(straight == rows.flatMap { y in columns.map { [$0, y] } })
        let staggered = try copies(stagger: 0.5).map { [$0.x, $0.y] }
        #expect(staggered == columns.map { [$0, 16] } + [-29, 61, 151].map { [$0, 56] } + columns.map { [$0, 96] })
    }

    @Test("Copies never overlap, wherever the gaps' fractions fall, and none that meets the picture is missing")
    func cover() throws {
        for gap in [10.0, 10.3, 10.5, 11.999] {
            let copies = try copies(stagger: 0, gap: gap)
            for (a, b) in zip(copies, copies.dropFirst()) where a.y == b.y { #expect(b.x - a.x >= 60) }
            let columns = copies.filter { $0.y == copies[0].y }.map(\.x)
            let (first, last) = (try #require(columns.first), try #require(columns.last))
            #expect(first > -60 && Double(first) - (60 + gap) <= -59)
            #expect(last < 200 && Double(last) + 60 + gap >= 199)
        }
    }

    @Test("Too many copies and too large overlays are refused")
    func bounds() throws {
        var layout = OverlayLayout()
        layout.repetition = OverlayLayout.Repetition()
        let target = OverlayTarget(size: PixelSize(width: 640, height: 65))
        let square = PixelSize(width: 3, height: 3)
        #expect(throws: OverlayFault.tooManyCopies) { try layout.copies(square, on: target) }
        #expect(try layout.copies(PixelSize(width: 4, height: 4), on: target).count <= OverlayLayout.copiesMax)
        layout.size = .pixels(width: 70_000, height: nil)
        #expect(throws: OverlayFault.tooLarge(width: 70_000, height: 70_000)) {
            try layout.size(own: square, on: target)
        }
    }
}
