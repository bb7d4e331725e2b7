import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

/// The kernels that draw all lines of a stamp of contour lines at a time.
@Suite("Lines of contour lines")
struct ContourKernelTests {
    enum Way: CaseIterable {
        case multiplied, added
    }

    /// A stamp and the next one, on a canvas as large as the picture.
    struct Fan: CustomStringConvertible {
        var start: Stamp
        var end: Stamp
        var brush: Brush

        var contour: ink_contour {
            ink_contour(
                start: ink_contour_end(start), end: ink_contour_end(end), spacing: brush.spacing,
                width: brush.lineWidth * start.size, gap: 1.5, scale_x: 1, scale_y: 1)
        }

        /// Its area by polygons that are cut out of each other.
        var polygons: [[Point]] {
            var polygons = Polygons()
            var shared = ConvexPolygons()
            let canvas = PixelSize(width: 64, height: 64)
            LineUnion(from: start, to: end, brush: brush)
                .append(to: &polygons, OutputScale(canvas: CanvasSize(canvas), output: canvas), shared: &shared)
            var first = 0
            return polygons.counts.map { count in
                defer { first += Int(count) }
                return Array(polygons.corners[first..<first + Int(count)])
            }
        }

        var description: String { "\(start), \(end), spacing \(brush.spacing), width \(brush.lineWidth)" }

        /// - Parameters:
        ///   - direction, turn: of the stroke and what it turns by up to the next stamp, degrees.
        ///   - rotation: the brush's.
        ///   - sizes: of both stamps.
        init(
            at center: Point, direction: Double, turn: Double = 0, rotation: Double, length: Double, spacing: Double,
            lineWidth: Double, sizes: (Double, Double) = (1, 1)
        ) {
            func vector(_ degrees: Double) -> Point {
                Point(x: sinCos(degrees: degrees).cos, y: sinCos(degrees: degrees).sin)
            }
            brush = Brush(type: .contourLines, spacing: spacing, lineWidth: lineWidth)
            start = Stamp(center: center, along: vector(direction + rotation), size: sizes.0, alpha: 1)
            end = Stamp(
                center: center + length * vector(direction), along: vector(direction + turn + rotation), size: sizes.1,
                alpha: 1)
        }

        init(seed: Int) {
            var generator = SeededGenerator(seed: UInt64(seed))
            func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
            // Strokes and brushes that people set to whole angles put edges onto each other.
            let isPlain = Bool.random(using: &generator)
            let spacing = isPlain ? random(2...9).rounded() : random(2...9)
            self.init(
                at: Point(x: random(20...44), y: random(20...44)),
                direction: isPlain ? random(0...24).rounded() * 15 : random(0...360),
                turn: isPlain ? 0 : random(-40...40),
                rotation: isPlain ? random(0...8).rounded() * 45 : random(0...360),
                length: isPlain ? spacing : random(0.3...1) * spacing,
                spacing: spacing, lineWidth: random(0.2...2.5),
                sizes: isPlain ? (1, 1) : (random(0.5...1), random(0.5...1)))
        }
    }

    /// What a stamp covers of every pixel of a cell, row-major; nil if the kernel leaves it to others.
    private func coverage(
        _ fan: Fan, _ way: Way, cell: PixelRect, level: KernelLevel = .selected
    ) -> [Float]? {
        let kernels = ink_raster_kernels(level.c)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        let covered = KernelPlane<Float>(maxWidth: cell.width, maxHeight: cell.height, value: 0)
        plane.move(to: cell)
        covered.move(to: cell)
        var contour = fan.contour
        switch way {
        case .multiplied:
            guard kernels.pointee.multiply_contour(plane.kernelPlane, covered.kernelPlane, &contour, 1) else {
                return nil
            }
            for row in 0..<cell.height {
                for column in 0..<cell.width where covered.values[row * covered.stride + column] != 0 {
                    Issue.record("\(column), \(row) of the scratch plane is left")
                }
            }
        case .added:
            guard kernels.pointee.add_contour(plane.kernelPlane, covered.kernelPlane, &contour, 1) else { return nil }
            plane.drain { box in
                withUnsafePointer(to: box) {
                    kernels.pointee.multiply_covered(plane.kernelPlane, covered.kernelPlane, $0, 1)
                }
            }
        }
        return plane.coverage
    }

    private let whole = PixelRect(x: 0, y: 0, width: 64, height: 64)

    private func expectArea(of fan: Fan, _ way: Way, _ comment: Comment) {
        guard let actual = coverage(fan, way, cell: whole) else { return }
        let polygons = fan.polygons
        // Those that turn the other way are taken away.
        let signs = polygons.map { polygon in
            zip(polygon, polygon.dropFirst() + polygon.prefix(1)).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
                < 0
                ? -1.0 : 1
        }
        var worst = 0.0
        for y in 0..<64 {
            for x in 0..<64 {
                let expected = zip(polygons, signs).reduce(0) {
                    $0 + $1.1 * clippedArea($1.0, x: Double(x), y: Double(y))
                }
                worst = max(worst, abs(Double(actual[y * 64 + x]) - expected))
                if polygons.allSatisfy({ clippedArea($0, x: Double(x), y: Double(y)) == 0 }) {
                    #expect(actual[y * 64 + x] == 0, "\(comment), \(x), \(y): \(fan)")
                }
            }
        }
        #expect(worst < 1.5e-4, "\(comment): \(fan)")
    }

    @Test("the covered area of every pixel is that of the lines' union", arguments: Way.allCases, 0..<150)
    func exactArea(way: Way, seed: Int) {
        expectArea(of: Fan(seed: seed), way, "seed \(seed)")
    }

    @Test("most stamps are drawn so, whether their lines lie apart, close or over each other")
    func kinds() {
        var counts = (apart: 0, meeting: 0, other: 0)
        for seed in 0..<400 {
            let fan = Fan(seed: seed)
            if coverage(fan, .multiplied, cell: whole) == nil {
                counts.other += 1
            } else if fan.polygons.count > 7 {
                counts.meeting += 1
            } else {
                counts.apart += 1
            }
        }
        #expect(counts.apart > 100 && counts.meeting > 60 && counts.other < 100, "\(counts)")
    }

    @Test(
        "lines whose edges lie on each other cover what they cover",
        arguments: [0.0, 30, 45, 90, 135, 180, 270], [0.0, 45, 90, 135, 180, 270])
    func edgesOnEdges(direction: Double, rotation: Double) {
        for (length, lineWidth) in [(4.0, 1.0), (4, 2), (3, 1.5), (4, 0.3)] {
            // Whole pixels, and places that are not.
            for center in [Point(x: 30, y: 32), Point(x: 30.3, y: 31.7)] {
                let fan = Fan(
                    at: center, direction: direction, rotation: rotation, length: length, spacing: 4,
                    lineWidth: lineWidth)
                #expect(coverage(fan, .multiplied, cell: whole) != nil, "\(fan)")
                expectArea(of: fan, .multiplied, "on edges")
            }
        }
    }

    @Test(
        "lines that share a box are drawn, those over more than the next one, long ones and points are left to others")
    func refused() {
        // Lines from the top to the left: all of their boxes begin in the same pixel.
        var fan = Fan(at: Point(x: 20, y: 20), direction: 0, rotation: 0, length: 0, spacing: 3, lineWidth: 0.5)
        fan.start.center = Point(x: 12, y: 2)
        fan.start.along = Point(x: 0, y: -1)
        fan.end.center = Point(x: 2, y: 12)
        fan.end.along = Point(x: 1, y: 0)
        #expect(coverage(fan, .multiplied, cell: whole) != nil)
        expectArea(of: fan, .multiplied, "one box")

        let crowded = Fan(at: Point(x: 30, y: 30), direction: 10, rotation: 90, length: 20, spacing: 4, lineWidth: 1)
        let long = Fan(at: Point(x: 10, y: 30), direction: 0, rotation: 0, length: 30, spacing: 4, lineWidth: 1)
        let point = Fan(at: Point(x: 30, y: 30), direction: 0, rotation: 0, length: 0, spacing: 4, lineWidth: 1)
        var endless = long
        endless.end.center.x = .infinity
        let far = Fan(at: Point(x: 1e12, y: -1e12), direction: 0, rotation: 0, length: 4, spacing: 4, lineWidth: 1)
        for way in Way.allCases {
            for fan in [crowded, long, point, endless, far] {
                #expect(coverage(fan, way, cell: whole) == nil, "\(fan)")
            }
        }
    }

    /// Two stamps all but at one place, wider than their lines are apart: the enlargement was once lost in the rounding of
    /// places, and rows of pixels beside them were drawn, half covered.
    @Test("lines of next to no length show as little as they cover", arguments: Way.allCases)
    func shortLines(way: Way) {
        let x = 0x1.e79bc351f5dc8p-2, y = 0x1.0f7bcba8cd587p-1
        var fan = Fan(
            at: Point(x: x, y: y), direction: 0, rotation: 0, length: 0, spacing: 4, lineWidth: 0x1.f09eb5a31ee4bp+2)
        fan.start.along = Point(x: -1, y: 0)
        fan.end.center.x = 0x1.e79bc351fce6fp-2
        fan.end.along = Point(x: -1, y: -0x1.5cb0d8d66c2ecp-46)
        let actual = coverage(fan, way, cell: whole) ?? []
        #expect(actual.allSatisfy { $0 < 1e-3 }, "\(actual.max() ?? 0)")
    }

    @Test("every level of kernels gives the same numbers", arguments: Way.allCases, 0..<60)
    func levels(way: Way, seed: Int) {
        let fan = Fan(seed: seed + 1_000)
        let cell = PixelRect(x: 13, y: 11, width: 39, height: 40)
        let expected = coverage(fan, way, cell: cell, level: .scalar)
        for level in KernelLevel.available {
            #expect(coverage(fan, way, cell: cell, level: level) == expected, "seed \(seed), \(level): \(fan)")
        }
    }

    @Test("a cell shows the same numbers as the whole picture there", arguments: Way.allCases, 0..<120)
    func cellsDoNotShow(way: Way, seed: Int) {
        let fan = Fan(seed: seed + 2_000)
        var generator = SeededGenerator(seed: UInt64(seed))
        let x = Int.random(in: 0..<63, using: &generator), y = Int.random(in: 0..<63, using: &generator)
        let cell = PixelRect(
            x: x, y: y, width: .random(in: 1...(64 - x), using: &generator),
            height: .random(in: 1...(64 - y), using: &generator))
        let all = coverage(fan, way, cell: whole), part = coverage(fan, way, cell: cell)
        guard let all, let part else {
            #expect(all == nil && part == nil, "seed \(seed), \(cell): \(fan)")
            return
        }
        for row in 0..<cell.height {
            for column in 0..<cell.width {
                #expect(
                    part[row * cell.width + column] == all[(y + row) * 64 + x + column],
                    "seed \(seed), \(cell), \(column), \(row): \(fan)")
            }
        }
    }
}
