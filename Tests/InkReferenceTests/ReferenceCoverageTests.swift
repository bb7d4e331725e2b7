import Foundation
import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Reference: shapes and their coverage (spec 3.3 to 3.5, 4)")
struct ReferenceCoverageTests {
    private let canvas = PixelSize(width: 40, height: 30)

    private func scanner(_ output: PixelSize? = nil, strips: Int = 16) -> CoverageScanner {
        CoverageScanner(canvas: CanvasSize(canvas), output: output ?? canvas, stripsPerPixel: strips)
    }

    private func coverage(_ parts: Part...) throws -> Coverage {
        try #require(scanner().coverage(of: UnionOfParts(parts: parts)))
    }

    @Test func aLevelLineCoversSharesOfItsRows() throws {
        // y from 9.7 to 11.2, x from 3.25 to 8.5
        let found = try coverage(.line(from: Point(x: 3.25, y: 10.45), to: Point(x: 8.5, y: 10.45), width: 1.5))
        for (y, rowShare) in [(8, 0.0), (9, 0.3), (10, 1), (11, 0.2), (12, 0)] {
            for (x, columnShare) in [(2, 0.0), (3, 0.75), (4, 1), (7, 1), (8, 0.5), (9, 0)] {
                #expect(abs(found[x, y] - rowShare * columnShare) < 1e-9, "pixel (\(x), \(y))")
            }
        }
    }

    @Test(arguments: [0.3, 1, 2.5, 9])
    func aDiscHasItsArea(radius: Double) throws {
        let found = try coverage(.disc(center: Point(x: 15.3, y: 12.8), radius: radius))
        let area = found.values.reduce(0, +)
        // Chords lie inside the circle by at most 1/1024 pixel.
        let deficit: Double = Double.pi * radius * radius - area
        let allowed: Double = 2 * Double.pi * radius / 1024
        #expect(deficit > -1e-9 && deficit < allowed, "radius \(radius): area \(area)")
    }

    @Test func aTurnedSquareHasItsArea() throws {
        let found = try coverage(.line(from: Point(x: 10, y: 10), to: Point(x: 17, y: 13), width: 2.25))
        #expect(abs(found.values.reduce(0, +) - 58.0.squareRoot() * 2.25) < 1e-9)
    }

    @Test func aSlopingEdgeHasTheExactAreaInEachPixel() throws {
        // The triangle under y = x from (10, 10) to (14, 14): half of each pixel on the diagonal.
        let corner = Point(x: 10, y: 14)
        let found = try coverage(.quad(Point(x: 10, y: 10), Point(x: 14, y: 14), corner, corner))
        for n in 10..<14 {
            #expect(abs(found[n, n] - 0.5) < 1e-12)
            #expect(abs(found[10, n] - (n == 10 ? 0.5 : 1)) < 1e-12)
            #expect(found[n, n - 1] == 0)
        }
    }

    @Test func crossingLinesDoNotAddUp() throws {
        let across = Part.line(from: Point(x: 5, y: 10.5), to: Point(x: 15, y: 10.5), width: 1)
        let down = Part.line(from: Point(x: 10.5, y: 5), to: Point(x: 10.5, y: 15), width: 1)
        let found = try coverage(across, down)
        #expect(abs(found[10, 10] - 1) < 1e-12)
        #expect(abs(found.values.reduce(0, +) - 19) < 1e-9)
    }

    @Test func aLineOfNoLengthAndAShapeOutsideCoverNothing() {
        let nothing = Part.line(from: Point(x: 5, y: 5), to: Point(x: 5, y: 5), width: 3)
        #expect(scanner().coverage(of: UnionOfParts(parts: [nothing]))?.values.allSatisfy { $0 == 0 } ?? true)
        #expect(scanner().coverage(of: UnionOfParts(parts: [.disc(center: Point(x: 60, y: 5), radius: 3)])) == nil)
    }

    @Test func eachAxisScalesByItself() throws {
        let doubled = scanner(PixelSize(width: 80, height: 30))
        let disc = UnionOfParts(parts: [.disc(center: Point(x: 20, y: 15), radius: 5)])
        let found = try #require(doubled.coverage(of: disc))
        #expect(abs(found.values.reduce(0, +) - 50 * Double.pi) < 0.1)
    }

    /// Coverage against the plainest definition: the share of 64 x 64 points of a pixel that lie in the shape.
    @Test(arguments: BrushType.allCases.filter { $0 != .contourLines }, 0..<4)
    func coverageIsTheShareOfPointsInside(type: BrushType, seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        // Slightly turned crossings are the hardest for strips.
        let rotation = seed == 0 ? 0.4 : number(0...360)
        let brush = Brush(
            type: type, rotation: rotation, spacing: number(2...6), scale: number(0.5...1.2),
            lineWidth: number(0.5...6),
            dynamics: BrushDynamics(pressureAffectsSize: true))
        let points = (0..<3).map { _ in
            StrokePoint(x: number(0...40), y: number(0...30), pressure: number(0...1))
        }
        let output = PixelSize(width: 29, height: 22)
        for (shape, _) in ReferenceRenderer.shapes(of: Stroke(brush: brush, points: points)).prefix(1) {
            let found = scanner(output).coverage(of: shape)
            for _ in 0..<10 {
                let x = Int.random(in: 0..<output.width, using: &random)
                let y = Int.random(in: 0..<output.height, using: &random)
                let expected = shareInside(shape, x: x, y: y, output: output)
                let actual = found?[x, y] ?? 0
                #expect(
                    abs(actual - expected) < 0.015, "\(type), seed \(seed), pixel (\(x), \(y)): \(actual), \(expected)")
            }
        }
    }

    private func shareInside(_ shape: UnionOfParts, x: Int, y: Int, output: PixelSize) -> Double {
        let n = 64
        var inside = 0
        for row in 0..<n {
            for column in 0..<n {
                let point = Point(
                    x: (Double(x) + (Double(column) + 0.5) / Double(n)) * Double(canvas.width) / Double(output.width),
                    y: (Double(y) + (Double(row) + 0.5) / Double(n)) * Double(canvas.height) / Double(output.height))
                if shape.contains(point) { inside += 1 }
            }
        }
        return Double(inside) / Double(n * n)
    }

    /// The hull of two discs is every disc between them: a slow definition against discs and flank.
    @Test(arguments: [(2.0, 5.0, 9.0), (5, 2, 9), (3, 3, 4), (6, 1, 2), (1, 6, 5)])
    func aSolidSegmentIsTheHullOfItsEnds(from: Double, to: Double, length: Double) {
        let start = Point(x: 12, y: 14)
        let end = Point(x: 12 + 0.6 * length, y: 14 + 0.8 * length)
        let shape = solidShape(
            of: [
                PathSample(position: start, pressure: (from - 3) / 3, azimuth: 0),
                PathSample(position: end, pressure: (to - 3) / 3, azimuth: 0),
            ], brush: Brush(type: .solid, lineWidth: 12, dynamics: BrushDynamics(pressureAffectsSize: true)))
        var random = SeededGenerator(seed: 5)
        for _ in 0..<400 {
            let p = Point(x: .random(in: 0...30, using: &random), y: .random(in: 0...30, using: &random))
            var nearest = Double.infinity
            for step in 0...1000 {
                let t = Double(step) / 1000
                let x = start.x + t * (end.x - start.x) - p.x
                let y = start.y + t * (end.y - start.y) - p.y
                nearest = min(nearest, (x * x + y * y).squareRoot() - (from + t * (to - from)))
            }
            if abs(nearest) > 0.01 { #expect(shape.contains(p) == (nearest < 0), "\(p)") }
        }
    }
}
