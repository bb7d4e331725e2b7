/// The lines of a stroke of contour lines as curves, for vector files (spec section 10.2): beside each segment of the stroke a
/// straight line, round each vertex an arc, each as far as no other place of the stroke is nearer. Canvas pixels.
package struct ContourIsolines {
    /// A point of a curve.
    package struct Place: Hashable, Sendable {
        package var point: Point
        /// Unit vector away from the stroke; on the middle line to its right.
        package var across: Point
        /// The factor of the line's width there.
        package var size: Double
        /// Pressure at the nearest place of the stroke, 0...1.
        package var pressure: Double
    }

    private let line: NearestLine
    private let brush: Brush
    /// The size of an output pixel.
    private let pixel: Double

    /// The lines' numbers: those on the left of the stroke are negative.
    package var lines: ClosedRange<Int> { -(brush.lines / 2)...brush.lines / 2 }

    /// - Parameters:
    ///   - line: the stroke's.
    ///   - pixelsPerUnit: output pixels in a canvas pixel, to whose hundredths curves are exact.
    package init(_ line: NearestLine, _ brush: Brush, pixelsPerUnit: Double = 1) {
        self.line = line
        self.brush = brush
        pixel = 1 / pixelsPerUnit
    }

    /// The points of the parts of a line. A part of a single point is a dot.
    package func pieces(of number: Int) -> [[Point]] { places(of: number).map { $0.map(\.point) } }

    /// The parts of a line as polygons that are as wide as it is.
    package func areas(of number: Int) -> [[Point]] {
        places(of: number).map { piece in
            let sides = [-0.5, 0.5].map { side in
                piece.map { $0.point + (side * brush.lineWidth * $0.size) * $0.across }
            }
            return sides[0] + sides[1].reversed()
        }
    }

    /// The parts of a line.
    ///
    /// - Complexity: linear in the length of the line times the segments near it.
    package func places(of number: Int) -> [[Place]] {
        var pieces = Pieces(joint: 0.02 * pixel)
        for stretch in stretches(of: number) { add(stretch, to: &pieces) }
        return pieces.ended
    }

    // MARK: Curves before they are cut

    /// A straight line, or an arc round a center, with what is there at its ends.
    private struct Stretch {
        var start: Place
        var end: Place
        var center: Point?
        /// From the stroke, at both ends.
        var distances: (start: Double, end: Double)

        func place(_ t: Double) -> Place {
            func mixed(_ a: Double, _ b: Double) -> Double { a + t * (b - a) }
            let size = mixed(start.size, end.size), pressure = mixed(start.pressure, end.pressure)
            guard let center else {
                return Place(
                    point: start.point + t * (end.point - start.point), across: start.across, size: size,
                    pressure: pressure)
            }
            // Arcs are divided until chords do not differ from them, but for their length.
            let chord = start.across + t * (end.across - start.across)
            let across = (1 / max(chord.length, 1e-9)) * chord
            return Place(point: center + distances.start * across, across: across, size: size, pressure: pressure)
        }
    }

    private func size(_ sample: SmoothedPath.Sample) -> Double {
        brush.scale * brush.dynamics.size(sample.pressure)
    }

    private func stretches(of number: Int) -> [Stretch] {
        let samples = line.path.samples
        let factor = Double(abs(number)) * brush.spacing
        let side = number < 0 ? -1.0 : 1
        func place(_ sample: SmoothedPath.Sample, _ across: Point) -> Place {
            Place(
                point: sample.position + (factor * size(sample)) * across, across: across, size: size(sample),
                pressure: sample.pressure)
        }
        func arc(_ sample: SmoothedPath.Sample, _ from: Point, _ to: Point) -> [Stretch] {
            let distance = factor * size(sample)
            guard distance > 0 else { return [] }
            return unitVectors(from, to, radius: distance).map { a, b in
                Stretch(
                    start: place(sample, a), end: place(sample, b), center: sample.position,
                    distances: (distance, distance))
            }
        }
        guard samples.count > 1 else {
            guard let only = samples.first, number >= 0, size(only) > 0 else { return [] }
            let right = Point(x: 1, y: 0), down = Point(x: 0, y: 1)
            if number == 0 {
                return [Stretch(start: place(only, down), end: place(only, down), center: nil, distances: (0, 0))]
            }
            let quarters = [right, down, -1 * right, -1 * down, right]
            return zip(quarters, quarters.dropFirst()).flatMap { arc(only, $0, $1) }
        }
        let directions = zip(samples, samples.dropFirst()).map { a, b in
            let step = b.position - a.position
            return (1 / step.length) * step
        }
        func across(_ along: Point) -> Point { Point(x: -side * along.y, y: side * along.x) }
        let hasCaps = brush.caps == .round && !line.isClosed
        var stretches: [Stretch] = []
        if hasCaps, let first = directions.first { stretches += arc(samples[0], -1 * first, across(first)) }
        for (index, along) in directions.enumerated() {
            let (a, b) = (samples[index], samples[index + 1])
            stretches.append(
                Stretch(
                    start: place(a, across(along)), end: place(b, across(along)), center: nil,
                    distances: (factor * size(a), factor * size(b))))
            let isLast = index + 1 == directions.count
            if isLast, !line.isClosed { break }
            let next = directions[isLast ? 0 : index + 1]
            let turn = (along.x * next.y - along.y * next.x) * side
            let isBack = turn == 0 && along.x * next.x + along.y * next.y < 0
            if turn < 0 {
                stretches += arc(b, across(along), across(next))
            } else if isBack {
                stretches += arc(b, across(along), along) + arc(b, along, across(next))
            }
        }
        if hasCaps, let last = directions.last {
            stretches += arc(samples[samples.count - 1], across(last), last)
        }
        return stretches
    }

    /// Unit vectors between two that are less than half a turn apart, whose chords are exact to a hundredth of a pixel.
    private func unitVectors(_ from: Point, _ to: Point, radius: Double) -> [(Point, Point)] {
        let gap = (to - from).length
        // Sagitta: radius * gap^2 / 8.
        guard radius * gap * gap / 8 > 0.01 * pixel, gap > 1e-4 else { return [(from, to)] }
        let sum = from + to
        let middle = (1 / max(sum.length, 1e-9)) * sum
        return unitVectors(from, middle, radius: radius) + unitVectors(middle, to, radius: radius)
    }

    // MARK: Cutting

    /// Parts of a line, of which the last may go on.
    private struct Pieces {
        var ended: [[Place]] = []
        /// How far apart the ends of pieces may lie that are one.
        let joint: Double

        init(joint: Double) { self.joint = joint }

        mutating func add(_ from: Place, _ to: Place) {
            if let last = ended.last?.last, (last.point - from.point).length <= joint {
                if (to.point - last.point).length > 0 { ended[ended.count - 1].append(to) }
            } else {
                ended.append((to.point - from.point).length > 0 ? [from, to] : [from])
            }
        }
    }

    private func add(_ stretch: Stretch, to pieces: inout Pieces) {
        guard stretch.start.size > 0 || stretch.end.size > 0 else { return }
        func isThere(_ t: Double) -> Bool {
            let distance = stretch.distances.start + t * (stretch.distances.end - stretch.distances.start)
            guard distance > 0 else { return true }
            return !line.isNearer(stretch.place(t).point, than: distance * (1 - 1e-9) - 1e-7 * pixel)
        }
        /// Where it appears or disappears between two places, of which one is there.
        func border(_ there: Double, _ gone: Double) -> Double {
            var (there, gone) = (there, gone)
            for _ in 0..<24 {
                let middle = (there + gone) / 2
                if isThere(middle) { there = middle } else { gone = middle }
            }
            return there
        }
        let length = (stretch.end.point - stretch.start.point).length
        // Longer gaps and parts than this are not missed.
        let step = max(min(brush.spacing * brush.scale / 4, 2 * pixel), pixel / 4)
        let count = Int(min(max((length / step).rounded(.up), 1), 100_000))
        var start: Double? = isThere(0) ? 0 : nil
        var last = 0.0
        for index in 1...count {
            let t = Double(index) / Double(count)
            if isThere(t) {
                if start == nil { start = border(t, last) }
            } else if let first = start {
                pieces.add(stretch.place(first), stretch.place(border(last, t)))
                start = nil
            }
            last = t
        }
        if let start { pieces.add(stretch.place(start), stretch.place(1)) }
    }
}
