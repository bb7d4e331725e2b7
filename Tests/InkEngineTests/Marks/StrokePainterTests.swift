import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Stroke painter")
struct StrokePainterTests {
    private static let size = PixelSize(width: 160, height: 96)

    /// A stroke of any kind with any settings, from thin and close to wide and far apart.
    private func randomStroke(_ generator: inout SeededGenerator) -> Stroke {
        let type = BrushType.allCases.randomElement(using: &generator) ?? .dots
        let rotation =
            Bool.random(using: &generator)
            ? Double(Int.random(in: 0...8, using: &generator)) * 45 : .random(in: -400...400, using: &generator)
        let brush = Brush(
            type: type, rotation: rotation, spacing: .random(in: 1...14, using: &generator), opacity: 0.9,
            scale: [0.3, 0.7, 1, 1, 1.6, 5].randomElement(using: &generator) ?? 1,
            lineWidth: .random(in: 0.2...4, using: &generator),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: .random(using: &generator), pressureAffectsSize: .random(using: &generator),
                tiltAffectsRotation: .random(using: &generator)))
        var place = Point(x: .random(in: 0...160, using: &generator), y: .random(in: 0...96, using: &generator))
        let points = (0..<Int.random(in: 1...5, using: &generator)).map { _ -> StrokePoint in
            place =
                place + Point(x: .random(in: -30...30, using: &generator), y: .random(in: -30...30, using: &generator))
            return StrokePoint(
                x: place.x, y: place.y, pressure: .random(in: 0...1, using: &generator),
                azimuth: .random(in: 0...360, using: &generator))
        }
        return Stroke(brush: brush, points: points)
    }

    /// Dots that lie on those of the stamp before, as along a ruler.
    private func rulerStroke(_ generator: inout SeededGenerator) -> Stroke {
        let brush = Brush(
            type: .dots, spacing: .random(in: 3...9, using: &generator), opacity: 0.9,
            scale: .random(in: 0.3...3, using: &generator))
        let y = Double.random(in: 0...96, using: &generator)
        let points = [10.0, 150].map { StrokePoint(x: $0, y: $0 < 20 || Bool.random(using: &generator) ? y : y + 4) }
        return Stroke(brush: brush, points: points)
    }

    /// What the strokes take of each pixel of a cell.
    private func coverage(
        _ strokes: [PreparedStroke], cell: PixelRect, level: KernelLevel = .selected, canvas: PixelSize = size
    ) -> [Float] {
        let painter = StrokePainter(maxWidth: cell.width, maxHeight: cell.height, level: level)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        plane.move(to: cell)
        let scale = OutputScale(canvas: CanvasSize(canvas), output: StrokePainterTests.size)
        for stroke in strokes { painter.paint(stroke, scale: scale, cell: cell, into: plane) }
        return plane.coverage
    }

    private func randomStrokes(seed: Int) -> [PreparedStroke] {
        var generator = SeededGenerator(seed: UInt64(seed))
        return (0..<4).map { _ in PreparedStroke(randomStroke(&generator)) }
            + (0..<2).map { _ in PreparedStroke(rulerStroke(&generator)) }
    }

    /// Where stamps lie over each other at the same places of pixels, an error of a hundredth becomes one of a tenth. Lines of
    /// these brushes end beside and in those that cross them, and in the gaps between these.
    @Test(
        "straight strokes of lines and waves are nearly exact",
        arguments: [
            Brush(type: .parallelLines, spacing: 5, lineWidth: 1.5),
            Brush(type: .parallelLines, spacing: 6, lineWidth: 1),
            Brush(type: .crossHatch, spacing: 5, lineWidth: 1.5),
            Brush(type: .crossHatch, spacing: 5.4, lineWidth: 1.5),
            Brush(type: .crossHatch, spacing: 10, lineWidth: 1), Brush(type: .crossHatch, spacing: 4.5, lineWidth: 2),
            Brush(type: .crossHatch, spacing: 4, lineWidth: 2.4), Brush(type: .crossHatch, spacing: 6.67, lineWidth: 5),
            Brush(type: .waves, spacing: 8, lineWidth: 1.5), Brush(type: .waves, spacing: 12, lineWidth: 1),
            Brush(type: .waves, spacing: 6, lineWidth: 2),
        ],
        [0.0, 0.1, 0.5, 1, 2, 3, 8, 15, 22.5, 30, 38, 41, 44, 45, 60, 90, 92.5, 135, 180, 270])
    func straightStrokes(brush: Brush, rotation: Double) {
        let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
        let scale = OutputScale(canvas: CanvasSize(StrokePainterTests.size), output: StrokePainterTests.size)
        var brush = brush
        brush.rotation = rotation
        for start in [Point(x: 20.3, y: 30.23), Point(x: 25.77, y: 31.49)] {
            for end in [Point(x: 140.3, y: start.y), Point(x: start.x, y: 90)] {
                let points = [start, end].map { StrokePoint(x: $0.x, y: $0.y) }
                let stroke = PreparedStroke(Stroke(brush: brush, points: points))
                let exact = RemainingPlane(maxWidth: 160, maxHeight: 96)
                exact.move(to: cell)
                StrokePainter(maxWidth: 160, maxHeight: 96, isExact: true)
                    .paint(stroke, scale: scale, cell: cell, into: exact)
                let errors = zip(coverage([stroke], cell: cell), exact.coverage).map { abs($0 - $1) * 255 }
                let touched = exact.coverage.count { $0 > 0 }
                #expect(touched > 300)
                let mean = errors.reduce(0, +) / Float(touched)
                let far = Double(errors.count { $0 > 6 }) / Double(touched)
                let most = errors.max() ?? 0
                #expect(
                    far <= 0.02 && mean <= 0.7 && most <= 16,
                    "\(brush.type), spacing \(brush.spacing), \(start), \(end): \(far), \(mean), \(most)")
            }
        }
    }

    @Test("in pictures that are not opaque dots leave no ink in pixels that they do not reach", arguments: 0..<40)
    func reachOfDots(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
        let size = Double.random(in: 0.5...1, using: &generator)
        let brush = Brush(
            type: .dots, rotation: .random(in: 0...90, using: &generator),
            spacing: .random(in: 5...14, using: &generator),
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: seed % 4 > 0))
        let center = Point(x: .random(in: 60...100, using: &generator), y: .random(in: 30...60, using: &generator))
        let pressure = brush.dynamics.pressureAffectsSize ? 2 * size - 1 : 1
        let k = 0.5 + 0.5 * pressure
        let tap = Stroke(brush: brush, points: [StrokePoint(x: center.x, y: center.y, pressure: pressure)])
        let plane = RemainingPlane(maxWidth: 160, maxHeight: 96)
        plane.move(to: cell)
        StrokePainter(maxWidth: 160, maxHeight: 96, isExact: true).paint(
            PreparedStroke(tap),
            scale: OutputScale(canvas: CanvasSize(StrokePainterTests.size), output: StrokePainterTests.size),
            cell: cell, into: plane)
        let (along, across) = (sinCos(degrees: brush.rotation), sinCos(degrees: brush.rotation + 90))
        let discs = (-5...5).flatMap { i in
            (-5...5).map { j in
                let (p, q) = (Double(i) * brush.spacing * k, Double(j) * brush.spacing * k)
                return Point(
                    x: center.x + p * along.cos + q * across.cos, y: center.y + p * along.sin + q * across.sin)
            }
        }
        let coverage = plane.coverage
        #expect(coverage.contains { $0 > 0.9 }, "seed \(seed)")
        for y in 0..<96 {
            for x in 0..<160 where coverage[y * 160 + x] > 0.001 {
                let gap =
                    discs.map { disc in
                        let dx = disc.x - min(max(disc.x, Double(x)), Double(x + 1))
                        let dy = disc.y - min(max(disc.y, Double(y)), Double(y + 1))
                        return (dx * dx + dy * dy).squareRoot() - 2 * k
                    }.min() ?? 0
                // Circles are drawn as polygons of their area, whose corners stand out.
                let isReached = gap < 0.002
                #expect(isReached, "seed \(seed), pixel \(x), \(y): \(coverage[y * 160 + x]), \(gap) pixels away")
            }
        }
    }

    @Test("every level of kernels takes exactly the same", arguments: 0..<60)
    func levels(seed: Int) {
        let strokes = randomStrokes(seed: seed)
        let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
        let expected = coverage(strokes, cell: cell, level: .scalar)
        for level in KernelLevel.available {
            let isSame = coverage(strokes, cell: cell, level: level) == expected
            #expect(isSame, "seed \(seed), level \(level)")
        }
    }

    @Test("a cell shows exactly what the whole picture shows there", arguments: 0..<60)
    func cells(seed: Int) {
        let strokes = randomStrokes(seed: seed)
        var generator = SeededGenerator(seed: UInt64(seed) + 1000)
        let whole = coverage(strokes, cell: PixelRect(x: 0, y: 0, width: 160, height: 96))
        for _ in 0..<4 {
            let x = Int.random(in: 0..<160, using: &generator)
            let y = Int.random(in: 0..<96, using: &generator)
            let cell = PixelRect(
                x: x, y: y, width: .random(in: 1...(160 - x), using: &generator),
                height: .random(in: 1...(96 - y), using: &generator))
            let part = coverage(strokes, cell: cell)
            let expected = cell.rows.flatMap { row in whole[(row * 160 + x)..<(row * 160 + x + cell.width)] }
            let first = part.indices.first { part[$0] != expected[$0] }
            #expect(
                first == nil,
                "seed \(seed), cell \(cell), pixel \(first ?? 0): \(part[first ?? 0]), not \(expected[first ?? 0])")
        }
    }

    @Test("what cells of other sizes were drawn before does not show", arguments: 0..<20)
    func otherCellsBefore(seed: Int) {
        let strokes = randomStrokes(seed: seed)
        let painter = StrokePainter(maxWidth: 160, maxHeight: 96)
        let plane = RemainingPlane(maxWidth: 160, maxHeight: 96)
        let scale = OutputScale(canvas: CanvasSize(StrokePainterTests.size), output: StrokePainterTests.size)
        for cell in [
            PixelRect(x: 40, y: 10, width: 37, height: 29), PixelRect(x: 0, y: 0, width: 160, height: 96),
        ] {
            plane.move(to: cell)
            for stroke in strokes { painter.paint(stroke, scale: scale, cell: cell, into: plane) }
            let isSame = plane.coverage == coverage(strokes, cell: cell)
            #expect(isSame, "seed \(seed), \(cell)")
            for row in 0..<cell.height {
                (plane.pixels.values + row * plane.pixels.stride).update(
                    repeating: RemainingPlane.all, count: cell.width)
            }
        }
    }

    @Test("all that may differ from 1 is in the boxes handed on, once", arguments: 0..<20)
    func drawnBoxes(seed: Int) {
        let cell = PixelRect(x: 3, y: 5, width: 150, height: 77)
        let painter = StrokePainter(maxWidth: 150, maxHeight: 77)
        let plane = RemainingPlane(maxWidth: 150, maxHeight: 77)
        plane.move(to: cell)
        let scale = OutputScale(canvas: CanvasSize(StrokePainterTests.size), output: StrokePainterTests.size)
        for stroke in randomStrokes(seed: seed) { painter.paint(stroke, scale: scale, cell: cell, into: plane) }
        let taken = plane.coverage
        var counts = [Int](repeating: 0, count: cell.area)
        plane.drain { box in
            for row in Int(box.top)..<Int(box.bottom) {
                for column in Int(box.left)..<Int(box.right) { counts[row * 150 + column] += 1 }
            }
        }
        for index in counts.indices {
            #expect(counts[index] <= 1 && (taken[index] == 0 || counts[index] == 1), "seed \(seed), pixel \(index)")
        }
    }

    @Test(
        "absurd sizes are drawn or left out, not followed",
        arguments: BrushType.allCases, [1e4, 1e6, 1e9, 1e160, 1e300])
    func absurdSizes(type: BrushType, scale: Double) {
        for lineWidth in [1e-300, 1, 1e300] {
            let brush = Brush(type: type, rotation: 33, spacing: 5, scale: scale, lineWidth: lineWidth)
            let points = [StrokePoint(x: 40, y: 40), StrokePoint(x: 1e7, y: -1e7)]
            let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
            #expect(
                coverage([PreparedStroke(Stroke(brush: brush, points: points))], cell: cell).allSatisfy { $0 >= -1e-3 })
        }
    }

    @Test(
        "faint stamps add up however many they are", arguments: [BrushType.parallelLines, .crossHatch, .dots, .waves],
        [(0.0005, 2.0), (0.005, 2.0), (0.005, 0.3)])
    func faintStamps(type: BrushType, _ ink: (opacity: Double, lineWidth: Double)) {
        let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
        var generator = SeededGenerator(seed: 11)
        let points = (0..<500).map { _ in
            StrokePoint(x: .random(in: 60...100, using: &generator), y: .random(in: 30...60, using: &generator))
        }
        let opacity = ink.opacity
        func brush(_ opacity: Double) -> Brush {
            Brush(type: type, rotation: 30, spacing: 6, opacity: opacity, lineWidth: ink.lineWidth)
        }
        let stroke = PreparedStroke(Stroke(brush: brush(opacity), points: points))
        guard case .stamps(let placed) = stroke.marks else {
            Issue.record("no stamps")
            return
        }
        let stamps = placed.all
        var kept = [Double](repeating: 1, count: cell.area)
        for stamp in stamps {
            let tap = StrokePoint(x: stamp.center.x, y: stamp.center.y)
            let covered = coverage([PreparedStroke(Stroke(brush: brush(1), points: [tap]))], cell: cell)
            for (index, share) in covered.enumerated() where share > 0 { kept[index] *= 1 - opacity * Double(share) }
        }
        let taken = coverage([stroke], cell: cell)
        let worst = zip(taken, kept).map { abs(Double($0) - (1 - $1)) }.max() ?? 1
        #expect(worst < 0.004 && stamps.count > 1000, "\(type), \(ink): off by \(worst) after \(stamps.count) stamps")
        #expect((taken.max() ?? 0) > 0.05)
    }

    @Test("a picture whose edge is rounded up to a pixel is drawn as any other")
    func skewedScales() {
        for (canvas, output) in [
            (PixelSize(width: 65_536, height: 1), PixelSize(width: 1, height: 1)),
            (PixelSize(width: 65_536, height: 1), PixelSize(width: 8, height: 1)),
            (PixelSize(width: 1, height: 65_536), PixelSize(width: 1, height: 512)),
        ] {
            let cell = PixelRect(x: 0, y: 0, width: output.width, height: output.height)
            for (rotation, scale, spacing, width) in [
                (45.0, 1e6, 1.0, 0.45), (45, 2e6, 1, 0.45), (80, 12_000, 60, 8), (48.07, 1112, 13.58, 4.14),
            ] {
                for type in [BrushType.parallelLines, .crossHatch] {
                    let painter = StrokePainter(maxWidth: cell.width, maxHeight: cell.height)
                    let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
                    plane.move(to: cell)
                    let brush = Brush(
                        type: type, rotation: rotation, spacing: spacing, scale: scale, lineWidth: width)
                    for place in [-5e6, -39_464, -29_000, 0, 100, 29_093, 5e6] {
                        for point in [StrokePoint(x: place, y: 0.5), StrokePoint(x: 0.5, y: place)] {
                            let next = StrokePoint(x: point.x + spacing * scale, y: point.y)
                            painter.paint(
                                PreparedStroke(Stroke(brush: brush, points: [point, next])),
                                scale: OutputScale(canvas: CanvasSize(canvas), output: output), cell: cell, into: plane)
                        }
                    }
                    #expect(plane.coverage.allSatisfy { $0 >= 0 && $0 <= 1 })
                }
            }
        }
    }

    @Test(
        "a stroke that crosses itself looks the same wherever it is in a large picture",
        arguments: [(70_000, 0), (900_000, 0), (0, 140_000), (1_000_000, 1_000_000)])
    func largePictures(x: Int, y: Int) {
        let size = PixelSize(width: 1 << 20, height: 1 << 20)
        let brush = Brush(type: .solid, lineWidth: 9)
        let places = [(20.0, 20.0), (120.0, 80.0), (30.0, 85.0), (110.0, 15.0), (60.0, 90.0)]
        func drawn(_ x: Int, _ y: Int) -> [Float] {
            let cell = PixelRect(x: x, y: y, width: 160, height: 96)
            let painter = StrokePainter(maxWidth: 160, maxHeight: 96)
            let plane = RemainingPlane(maxWidth: 160, maxHeight: 96)
            plane.move(to: cell)
            let points = places.map { StrokePoint(x: $0.0 + Double(x), y: $0.1 + Double(y)) }
            painter.paint(
                PreparedStroke(Stroke(brush: brush, points: points)),
                scale: OutputScale(canvas: CanvasSize(size), output: size),
                cell: cell, into: plane)
            return plane.coverage
        }
        let (there, here) = (drawn(x, y), drawn(0, 0))
        let worst = zip(there, here).map { abs($0 - $1) }.max() ?? 1
        #expect(worst < 0.02 && (here.max() ?? 0) > 0.999, "off by \(worst)")
    }

    @Test("what begins far outside the picture is drawn where it crosses it")
    func farParts() {
        let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
        let scale = OutputScale(canvas: CanvasSize(StrokePainterTests.size), output: StrokePainterTests.size)
        func drawn(_ brush: Brush, _ points: [StrokePoint]) -> [Float] {
            let painter = StrokePainter(maxWidth: 160, maxHeight: 96)
            let plane = RemainingPlane(maxWidth: 160, maxHeight: 96)
            plane.move(to: cell)
            painter.paint(PreparedStroke(Stroke(brush: brush, points: points)), scale: scale, cell: cell, into: plane)
            return plane.coverage
        }
        let line = Brush(type: .solid, lineWidth: 20)
        let far = [StrokePoint(x: -400_000, y: 50), StrokePoint(x: 1000, y: 50)]
        for points in [far, far.reversed()] {
            let taken = drawn(line, points)
            #expect(taken[50 * 160 + 80] > 0.99 && taken[20 * 160 + 80] == 0)
        }
        let disc = drawn(Brush(type: .solid, lineWidth: 524_600), [StrokePoint(x: 262_250, y: 48)])
        #expect(disc[48 * 160 + 32] > 0.99)
        let wide = drawn(
            Brush(type: .parallelLines, spacing: 1, scale: 1e5, lineWidth: 1), [StrokePoint(x: 80, y: 48)])
        #expect(wide.allSatisfy { $0 > 0.99 })
        let dots = drawn(Brush(type: .dots, spacing: 1_073_741_824, opacity: 0.5), [StrokePoint(x: 80.5, y: 48.5)])
        #expect(abs(dots[48 * 160 + 80] - 0.5) < 0.01)
    }
}
