import CKernels
import InkReference
import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct PlacedStampsTests {
    private let canvas = PixelSize(width: 600, height: 400)

    private func randomPlacer(seed: UInt64, type: BrushType = .dots) -> StampPlacer {
        var generator = SeededGenerator(seed: seed)
        let points = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            StrokePoint(
                x: .random(in: -50...650, using: &generator), y: .random(in: -50...450, using: &generator),
                pressure: .random(in: 0...1, using: &generator), azimuth: .random(in: 0...360, using: &generator))
        }
        let brush = Brush(
            type: type, rotation: 20, spacing: .random(in: 1...20, using: &generator),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: .random(using: &generator), pressureAffectsSize: .random(using: &generator),
                tiltAffectsRotation: .random(using: &generator)))
        return StampPlacer(path: SmoothedPath(points), brush: brush, pointsAlongPath: type == .contourLines)
    }

    @Test(
        "near a cell are exactly the stamps that are found one by one, kept or placed again", arguments: UInt64(0)..<40)
    func visible(seed: UInt64) {
        let placer = randomPlacer(seed: seed, type: seed % 2 == 0 ? .dots : .contourLines)
        var segment = 0
        let stamps = placer.stamps(0..<placer.count, from: &segment)
        let cell = PixelRect(x: 100, y: 50, width: 200, height: 100)
        let near = NearCell(cell, scale: OutputScale(canvas: CanvasSize(canvas), output: canvas), reach: 20)
        let isNear = stamps.indices.filter { near.contains(stamps[$0].center) }
        let pairs = isNear.filter { $0 + 1 < stamps.count && stamps[$0].alpha + stamps[$0 + 1].alpha > 0 }
        for placed in [PlacedStamps(placer), PlacedStamps(placer, keptMax: 0)] {
            #expect(Array(placed.visible(near)) == isNear.map { stamps[$0] }.filter { $0.alpha > 0 }, "seed \(seed)")
            #expect(placed.all == stamps)
            #expect(placed.areFaint == stamps.allSatisfy { $0.alpha < 1.0 / 256 })
            #expect(placed.haveOneAlpha == stamps.allSatisfy { $0.alpha == stamps[0].alpha })
            #expect(
                placed.areAlike == stamps.allSatisfy { $0.size == stamps[0].size && $0.along == stamps[0].along })
            var visible = placed.visible(near)
            var found: [Int] = []
            while let (index, stamp, next) = visible.nextPair() {
                found.append(index)
                #expect(stamp == stamps[index] && next == stamps[index + 1], "seed \(seed)")
            }
            #expect(found == pairs, "seed \(seed)")
        }
    }

    @Test(
        "a picture is the same whether stamps are kept or placed for every cell", arguments: BrushType.allCases, 0..<4)
    func placedAgain(type: BrushType, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let strokes = (0..<4).map { _ in
            let points = (0..<4).map { _ in
                StrokePoint(
                    x: .random(in: 0...600, using: &generator), y: .random(in: 0...400, using: &generator),
                    pressure: .random(in: 0...1, using: &generator))
            }
            return Stroke(
                brush: Brush(
                    type: type, rotation: .random(in: 0...90, using: &generator), spacing: 7, opacity: 0.6,
                    dynamics: BrushDynamics(pressureAffectsSize: .random(using: &generator))),
                points: points)
        }
        let project = Project(canvasSize: canvas, layers: [Layer(strokes: strokes)])
        func picture(_ keptStampsMax: Int, tile: PixelSize?) throws -> [UInt8] {
            try LocalRendering.render(
                project, images: DecodedImages(), output: canvas, tile: tile, keptStampsMax: keptStampsMax)
        }
        let expected = try picture(.max, tile: nil)
        for kept in [0, 100] {
            let isSame = try picture(kept, tile: PixelSize(width: 173, height: 111)) == expected
            #expect(isSame, "\(kept) kept")
        }
    }

    @Test("a stroke of two points and millions of stamps takes little memory", arguments: BrushType.allCases)
    func manyStamps(type: BrushType) {
        let stroke = Stroke(
            brush: Brush(type: type, spacing: 1), points: [StrokePoint(x: 0, y: 0), StrokePoint(x: 3_000_000, y: 1)])
        let block = PreparedStrokeBlock(.strokes([stroke]))
        #expect(block.byteCount < 3_000_000, "\(block.byteCount)")
        let isStamped = type != .solid && type != .contourLines
        #expect((PreparedStroke.stampCount(of: stroke) > 2_999_999) == isStamped)
    }

    @Test("strokes that are not wanted any more are not prepared to the end", arguments: BrushType.allCases)
    func cancelledPreparation(type: BrushType) {
        let stroke = Stroke(
            brush: Brush(type: type, spacing: 0.01), points: [StrokePoint(x: 0, y: 0), StrokePoint(x: 6000, y: 1)])
        var asked = 0
        let block = PreparedStrokeBlock(.strokes([Stroke](repeating: stroke, count: 100))) {
            asked += 1
            return asked > 50
        }
        #expect(asked <= 60 && block.count < 100, "asked \(asked) times")
    }

    @Test("a stroke's bounds hold every pixel it touches", arguments: BrushType.allCases, 0..<6)
    func bounds(type: BrushType, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let points = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            StrokePoint(
                x: .random(in: 200...400, using: &generator), y: .random(in: 150...250, using: &generator),
                pressure: .random(in: 0...1, using: &generator))
        }
        let brush = Brush(
            type: type, rotation: .random(in: 0...360, using: &generator),
            spacing: .random(in: 2...12, using: &generator), opacity: 1,
            scale: .random(in: 0.5...2, using: &generator), lineWidth: .random(in: 0.5...8, using: &generator))
        let stroke = PreparedStroke(Stroke(brush: brush, points: points))
        // Painted in one cell, whose own test the whole canvas passes.
        let cell = PixelRect(x: 0, y: 0, width: canvas.width, height: canvas.height)
        let painter = StrokePainter(maxWidth: canvas.width, maxHeight: canvas.height, isExact: true)
        let plane = RemainingPlane(maxWidth: canvas.width, maxHeight: canvas.height)
        plane.move(to: cell)
        painter.paint(stroke, scale: OutputScale(canvas: CanvasSize(canvas), output: canvas), cell: cell, into: plane)
        var touched = Rect.empty
        for y in 0..<canvas.height {
            for x in 0..<canvas.width where plane.kernelPlane.values[y * plane.kernelPlane.stride + x] < .max {
                touched.formUnion(Point(x: Double(x), y: Double(y)))
                touched.formUnion(Point(x: Double(x + 1), y: Double(y + 1)))
            }
        }
        let bounds = stroke.bounds.expanded(by: 1)
        #expect(!touched.isEmpty)
        let isInside =
            touched.minX >= bounds.minX && touched.minY >= bounds.minY && touched.maxX <= bounds.maxX
            && touched.maxY <= bounds.maxY
        #expect(isInside, "seed \(seed): \(touched) is beyond \(stroke.bounds)")
    }

    private func stamps(_ stroke: Stroke) -> [InkEngine.Stamp] {
        PlacedStamps(StampPlacer(path: SmoothedPath(stroke), brush: stroke.brush)).all
    }

    @Test("stamps lie stampSpacing apart, whatever the spacing of the pattern is")
    func stampSpacing() {
        var stroke = Stroke(
            brush: Brush(spacing: 3, scale: 2), points: [StrokePoint(x: 0, y: 0), StrokePoint(x: 100, y: 0)])
        #expect(stamps(stroke).count == 17)
        stroke.brush.stampSpacing = 12.5
        #expect(stamps(stroke).map { $0.center.x }.map { ($0 * 1e6).rounded() / 1e6 } == [0, 25, 50, 75, 100])
        #expect(PreparedStroke.stampCount(of: stroke) == 5 && PreparedStroke.stampCountBound(of: stroke) >= 5)
    }

    @Test("no stamp lies at the full length of a closed stroke")
    func closed() {
        let corners = [(0.0, 0.0), (30, 0), (30, 30), (0, 30)].map { StrokePoint(x: $0, y: $1) }
        var stroke = Stroke(brush: Brush(spacing: 15), points: corners)
        (stroke.smoothing, stroke.isClosed) = (.none, true)
        #expect(stamps(stroke).count == 8)
        #expect(stamps(stroke).last?.center == Point(x: 0, y: 15))
        stroke.brush.spacing = 120
        #expect(stamps(stroke).count == 1)
        stroke.brush.spacing = 119.99
        #expect(stamps(stroke).count == 2)
        stroke.brush.spacing = 1000
        #expect(stamps(stroke).count == 1)
        stroke.isClosed = false
        stroke.brush.spacing = 30
        #expect(stamps(stroke).count == 4)
    }

    @Test("a closed stroke is never longer than the bound of its stamps", arguments: UInt64(0)..<30)
    func bounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let points = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            StrokePoint(x: .random(in: 0...90, using: &generator), y: .random(in: 0...90, using: &generator))
        }
        for smoothing in Smoothing.allCases {
            for isClosed in [false, true] {
                var stroke = Stroke(brush: Brush(spacing: 0.7), points: points)
                (stroke.smoothing, stroke.isClosed) = (smoothing, isClosed)
                #expect(PreparedStroke.stampCount(of: stroke) <= PreparedStroke.stampCountBound(of: stroke))
            }
        }
    }

    @Test("stamps that follow the path turn by its direction, but a tap does not")
    func followsPath() throws {
        var stroke = Stroke(
            brush: Brush(rotation: 30, spacing: 10), points: [StrokePoint(x: 0, y: 0), StrokePoint(x: 30, y: 30)])
        stroke.brush.followsPath = true
        let turned = try #require(stamps(stroke).first)
        let expected = sinCos(degrees: 75)
        #expect((turned.along - Point(x: expected.cos, y: expected.sin)).length < 1e-12)
        stroke.points.removeLast()
        let tap = try #require(stamps(stroke).first)
        let plain = sinCos(degrees: 30)
        #expect(tap.along == Point(x: plain.cos, y: plain.sin))
    }

    @Test("pressure changes size and opacity from their minimum on, and stamps of size 0 draw nothing")
    func minima() {
        let dynamics = BrushDynamics(pressureAffectsSize: true, minimumSize: 0, minimumOpacity: 0.25)
        let points = [StrokePoint(x: 0, y: 20, pressure: 0), StrokePoint(x: 40, y: 20, pressure: 1)]
        var stroke = Stroke(brush: Brush(spacing: 10, dynamics: dynamics), points: points)
        stroke.smoothing = .none
        #expect(stamps(stroke).map { ($0.size * 100).rounded() } == [25, 50, 75, 100])
        let near = NearCell(
            PixelRect(x: 0, y: 0, width: 40, height: 40), scale: OutputScale(canvas: CanvasSize(canvas), output: canvas)
        )
        let placed = PlacedStamps(StampPlacer(path: SmoothedPath(stroke), brush: stroke.brush))
        #expect(placed.count == 5 && Array(placed.visible(near)).count == 4)
        #expect(Array(placed.visible(near)).map { $0.alpha } == [0.4375, 0.625, 0.8125, 1])
        for type in BrushType.allCases where type != .solid && type != .contourLines {
            var tap = Stroke(brush: Brush(type: type, dynamics: dynamics), points: [points[0]])
            tap.brush.dynamics.minimumOpacity = 1
            let plane = RemainingPlane(maxWidth: 40, maxHeight: 40)
            let cell = PixelRect(x: 0, y: 0, width: 40, height: 40)
            plane.move(to: cell)
            StrokePainter(maxWidth: 40, maxHeight: 40).paint(
                PreparedStroke(tap), scale: OutputScale(canvas: CanvasSize(canvas), output: canvas), cell: cell,
                into: plane)
            #expect(plane.coverage.allSatisfy { $0 == 0 }, "\(type)")
        }
    }
}
