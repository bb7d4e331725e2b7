import Testing

@testable import InkDocuments
@testable import InkEngine

/// What rough.js makes of shapes, to two decimal places.
///
/// The paths are those of a picture that Excalidraw exported (`random.svg` of bric3/excalidraw-jetbrains-plugin, MIT).
@Suite struct RoughSketchTests {
    private func text(_ steps: [RoughSketch.Step]) -> String {
        func text(_ point: Point) -> String { "\(number(point.x)) \(number(point.y))" }
        func number(_ value: Double) -> String {
            let rounded = (value * 100).rounded() / 100
            return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
        }
        return steps.map { step in
            switch step {
            case .move(let point): "M\(text(point))"
            case .line(let point): "L\(text(point))"
            case .curve(let first, let second, let end): "C\(text(first)), \(text(second)), \(text(end))"
            }
        }.joined(separator: " ")
    }

    private func corners(_ width: Double, _ height: Double) -> [Point] {
        [(0, 0), (width, 0), (width, height), (0, height)].map { Point(x: $0.0, y: $0.1) }
    }

    @Test func aRectangleIsThatOfExcalidraw() {
        var sketch = RoughSketch(RoughStyle(), seed: 1_664_137_926)
        let (outline, _) = sketch.draw(.lines(corners(178.578125, 54.6953125), isClosed: true), fill: nil)
        #expect(
            text(outline) == """
                M1.92 0.8 C50.32 2.52, 97.59 2.72, 178.81 -0.69 M-0.02 -0.68 C39.3 -0.37, 77.12 -1.29, 178.12 -0.84 \
                M178.22 -1.73 C180.44 16.97, 178.35 34.36, 180.33 53.6 M178.05 0.78 C179.93 16.53, 178.16 34.04, 178.58 55.36 \
                M177.83 53.01 C117.56 51.75, 60.8 53.85, 1.37 54.93 M177.92 54.03 C111.16 53.43, 43.81 53.03, -0.44 55.4 \
                M0.57 56.39 C0.85 39.79, -0.91 25.42, -1.68 0.82 M0.76 54.94 C-0.91 34.21, 0.67 16.33, 0.22 0.09
                """)
    }

    @Test func aHatchingIsThatOfExcalidraw() throws {
        var style = RoughStyle()
        style.hatchesEvenly = true
        var sketch = RoughSketch(style, seed: 2_082_504_109)
        let (outline, fill) = sketch.draw(
            .lines(corners(164.0625, 193.31640625), isClosed: true), fill: .hatching(.lines))
        #expect(text(outline).hasPrefix("M0.37 2 C45.81 -1, 90.01 -2.18, 163 -0.08 M-0.74 0.37 C51.35 2.02"))
        let hatching = try #require(fill)
        #expect(
            text(hatching).hasPrefix(
                "M0 0 C0 0, 0 0, 0 0 M0 0 C0 0, 0 0, 0 0 M-0.71 5.62 C1.08 4.75, 3.06 2.12, 4.35 0.06 "
                    + "M-0.2 6.4 C2.01 4.09, 3.52 1.94, 4.67 0.74 M0.68 11.32 C3.82 8.54, 8.71 3.73, 11.13 0.4"))
        #expect(
            text(hatching).hasSuffix(
                "M159.15 194.13 C160.28 193.24, 161.78 190.86, 164.04 188.66 "
                    + "M159.46 194.24 C160.95 193.22, 162.27 191.32, 164.37 189.37"))
    }

    @Test func aCurveIsThatOfExcalidraw() {
        var sketch = RoughSketch(RoughStyle(), seed: 212_868_251)
        let points = [(0.0, 0.0), (70.62890625, 47.0390625), (161.6171875, -49.09375), (182.02728052123516, -101.85)]
        let (outline, _) = sketch.draw(.curve(points.map { Point(x: $0.0, y: $0.1) }), fill: nil)
        #expect(text(outline).hasPrefix("M0.29 -0.74 C11.79 6.93, 42.94 54.38, 69.79 46.31 C"))
        #expect(text(outline).contains(" M-1.01 1.48 C10.79 9.27, 45.13 55.69, 72.06 47.46 C"))
    }

    @Test(arguments: [
        RoughSketch.Shape.lines([], isClosed: true), .lines([Point(x: 1, y: 1)], isClosed: false), .curve([]),
        .curve([Point(x: 1, y: 1)]), .curve([Point(x: 0, y: 0), Point(x: 9, y: 9)]), .path([]),
        .ellipse(width: 0, height: 0), .ellipse(width: -20, height: 30), .ellipse(width: 5e8, height: 1),
    ])
    func shapesWithoutSizeAreSketchedToo(shape: RoughSketch.Shape) {
        for roughness in [0, 1, 2.5] {
            for fill in [nil, RoughSketch.Fill.area, .hatching(.lines), .hatching(.crossed), .hatching(.zigzag)] {
                var sketch = RoughSketch(RoughStyle(roughness: roughness), seed: 0)
                let (outline, filling) = sketch.draw(shape, fill: fill)
                for point in RoughSketch.pieces(outline + (filling ?? [])).flatMap({ $0 }) {
                    #expect(point.x.isFinite && point.y.isFinite)
                }
            }
        }
    }

    @Test func linesOfTheRulerAreStraight() {
        var style = RoughStyle(roughness: 0)
        style.isSingle = true
        var sketch = RoughSketch(style, seed: 5)
        let (outline, _) = sketch.draw(.lines(corners(10, 20), isClosed: true), fill: nil)
        #expect(outline.map(\.end).filter { !corners(10, 20).contains($0) }.isEmpty && outline.count == 8)
    }

    @Test func hatchingsStayInsideAndEnd() throws {
        let square = corners(100, 100)
        for kind in [RoughSketch.Hatching.lines, .crossed, .zigzag] {
            var sketch = RoughSketch(RoughStyle(roughness: 0, gap: 10), seed: 1)
            let hatching = sketch.hatching(square, kind)
            let lines = try #require(hatching)
            #expect(lines.count >= 2 * 26)
            for point in lines.map(\.end) where kind != .zigzag {
                #expect(point.x > -1 && point.x < 101 && point.y > -1 && point.y < 101)
            }
        }
        for (size, gap) in [(1e9, 1.0), (1e6, 0.04), (1e9, 4e4)] {
            var sketch = RoughSketch(RoughStyle(gap: gap), seed: 1)
            let hatching = sketch.hatching(corners(size, size), .lines)
            #expect(hatching == nil)
        }
        var sketch = RoughSketch(RoughStyle(gap: 4e4), seed: 1)
        let hatching = sketch.hatching(corners(1e8, 1e8), .lines)
        #expect(hatching?.isEmpty == false)
    }
}
