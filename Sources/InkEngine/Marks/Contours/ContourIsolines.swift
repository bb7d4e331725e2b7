/// The lines of a stroke of contour lines as areas and as curves, for vector files (spec section 10.2). Canvas pixels.
///
/// On each side of a segment of the stroke, and in the sector round a vertex, a place is named by where the nearest place
/// of the stroke is, from 0 to 1, and by its distance. There the areas of all lines end at straight lines: those of their
/// distances, and how far it is to where another place of the stroke is nearer.
package struct ContourIsolines {
    private let line: NearestLine
    private let brush: Brush
    /// The size of an output pixel.
    private let pixel: Double
    /// What is to be seen.
    private let seen: Rect
    private let circles: TangentCircles

    /// - Parameters:
    ///   - line: the stroke's.
    ///   - pixelsPerUnit: output pixels in a canvas pixel, to whose hundredths curves are exact.
    ///   - seen: what lies outside of it may be left out.
    package init(_ line: NearestLine, _ brush: Brush, pixelsPerUnit: Double = 1, seen: Rect) {
        self.line = line
        self.brush = brush
        self.seen = seen
        pixel = 1 / pixelsPerUnit
        circles = TangentCircles(line, tolerance: 1e-6 * pixel)
    }

    /// How far the lines reach from the stroke at a place.
    private func reach(_ size: Double) -> Double { ContourMark().reach(of: brush, size: size) }

    private func size(_ sample: SmoothedPath.Sample) -> Double {
        brush.scale * brush.dynamics.size(sample.pressure)
    }

    /// The highest alpha along the stroke, 0...1.
    package var alphaMax: Double {
        brush.opacity * (line.path.samples.map { brush.dynamics.opacity($0.pressure) }.max() ?? 1)
    }

    /// About as many points as its areas or curves have, or more.
    package var pointCount: Double {
        let length = line.path.arcLengths.last ?? 0
        return Double(brush.lines) * (Double(line.path.samples.count) + length / step)
    }

    // MARK: Strips

    /// One side of a segment, or a thin sector round a vertex, from one direction to another.
    private struct Strip {
        var start: Point
        var end: Point
        /// Unit vectors away from the stroke.
        var from: Point
        var to: Point
        /// The factors of the lines' widths and distances.
        var sizes: (start: Double, end: Double)
        /// The segment; nil for a vertex.
        var segment: Int?
        /// The segment, or one that ends at the vertex.
        var near: Int
        /// How far it is from one side to the other.
        var length: Double

        func base(_ t: Double) -> Point { start + t * (end - start) }

        func across(_ t: Double) -> Point {
            if segment != nil { return from }
            let chord = from + t * (to - from)
            return (1 / max(chord.length, 1e-9)) * chord
        }

        func size(_ t: Double) -> Double { sizes.start + t * (sizes.end - sizes.start) }

        func place(_ t: Double, _ distance: Double) -> Point { base(t) + distance * across(t) }
    }

    /// Calls with the strips of a side of the stroke, as they follow one another.
    ///
    /// - Parameter side: 1 on the right of the stroke, which one of a single point has alone; -1 on the left.
    private func forEachStrip(
        side: Double, isCancelled: () -> Bool, _ body: (Strip) throws(EngineError) -> Void
    ) throws(EngineError) {
        let samples = line.path.samples
        func addSector(_ index: Int, _ from: Point, _ to: Point) throws(EngineError) {
            let sample = samples[index]
            let size = size(sample)
            guard size > 0, isSeen(sample.position, sample.position, size) else { return }
            for (a, b) in unitVectors(from, to, radius: reach(size)) {
                try body(
                    Strip(
                        start: sample.position, end: sample.position, from: a, to: b, sizes: (size, size), segment: nil,
                        near: max(min(index, samples.count - 2), 0), length: reach(size) * (b - a).length))
            }
        }
        guard samples.count > 1 else {
            guard samples.count == 1, side > 0 else { return }
            let right = Point(x: 1, y: 0), down = Point(x: 0, y: 1)
            let quarters = [right, down, -1 * right, -1 * down, right]
            for (a, b) in zip(quarters, quarters.dropFirst()) { try addSector(0, a, b) }
            return
        }
        func along(_ segment: Int) -> Point {
            let way = samples[segment + 1].position - samples[segment].position
            return (1 / way.length) * way
        }
        func across(_ along: Point) -> Point { Point(x: -side * along.y, y: side * along.x) }
        let count = samples.count - 1
        let hasCaps = brush.caps == .round && !line.isClosed
        if hasCaps { try addSector(0, -1 * along(0), across(along(0))) }
        for index in 0..<count {
            if index % 256 == 0, isCancelled() { throw .cancelled }
            let (a, b, way) = (samples[index], samples[index + 1], along(index))
            let sizes = (start: size(a), end: size(b))
            if max(sizes.start, sizes.end) > 0, isSeen(a.position, b.position, max(sizes.start, sizes.end)) {
                try body(
                    Strip(
                        start: a.position, end: b.position, from: across(way), to: across(way), sizes: sizes,
                        segment: index, near: index, length: (b.position - a.position).length))
            }
            if index + 1 == count, !line.isClosed { break }
            let next = along(index + 1 == count ? 0 : index + 1)
            let turn = (way.x * next.y - way.y * next.x) * side
            if abs(turn) < 1e-9, way.x * next.x + way.y * next.y < 0 {
                // The stroke goes back where it came from: half a turn, which is no side's more than the other's.
                guard side > 0 else { continue }
                try addSector(index + 1, across(way), way)
                try addSector(index + 1, way, across(next))
            } else if turn < 0 {
                try addSector(index + 1, across(way), across(next))
            }
        }
        if hasCaps { try addSector(count, across(along(count - 1)), along(count - 1)) }
    }

    private func isSeen(_ a: Point, _ b: Point, _ size: Double) -> Bool {
        var box = Rect.empty
        box.formUnion(a)
        box.formUnion(b)
        return !box.expanded(by: reach(size) + pixel).intersection(seen).isEmpty
    }

    /// Unit vectors between two that are at most half a turn apart, whose chords are exact to a hundredth of a pixel.
    private func unitVectors(_ from: Point, _ to: Point, radius: Double) -> [(Point, Point)] {
        let gap = (to - from).length
        // Sagitta: radius * gap^2 / 8.
        guard radius * gap * gap / 8 > 0.01 * pixel, gap > 1e-4 else { return [(from, to)] }
        let sum = from + to
        let middle = (1 / max(sum.length, 1e-9)) * sum
        return unitVectors(from, middle, radius: radius) + unitVectors(middle, to, radius: radius)
    }

    // MARK: How far strips go

    /// A place of a strip and how far it goes there.
    private struct Depth {
        var t: Double
        var distance: Double
    }

    /// Parts of the line that are not longer are looked at one by one.
    private var step: Double { max(min(brush.spacing * brush.scale / 4, 2 * pixel), pixel / 4) }
    /// How exactly the ends of lines are found.
    private var exactness: Double { 0.004 * pixel }

    /// How far a strip goes, between straight lines.
    private func depths(of strip: Strip) -> [Depth] {
        let reach = reach(max(strip.sizes.start, strip.sizes.end))
        func depth(_ t: Double) -> Depth {
            Depth(
                t: t,
                distance: circles.radius(
                    at: strip.base(t), across: strip.across(t), own: strip.segment, near: strip.near, reach: reach))
        }
        var depths = [depth(0)]
        /// Adds what lies between the last depth and the next one.
        func refine(to next: Depth) {
            guard let last = depths.last else { return }
            let middle = depth((last.t + next.t) / 2)
            if (next.t - last.t) * strip.length > exactness,
                abs(middle.distance - (last.distance + next.distance) / 2) > exactness
            {
                refine(to: middle)
                refine(to: next)
            } else {
                depths.append(next)
            }
        }
        func isFree(_ from: Double, _ to: Double) -> Bool {
            guard let segment = strip.segment else { return false }
            var box = Rect.empty
            for t in [from, to] { box.formUnion(strip.place(t, reach)) }
            return circles.isFree(box.expanded(by: reach), but: segment)
        }
        func explore(_ from: Double, _ to: Double) {
            if (to - from) * strip.length <= step {
                refine(to: depth(to))
            } else if isFree(from, to) {
                depths.append(Depth(t: to, distance: reach))
            } else {
                explore(from, (from + to) / 2)
                explore((from + to) / 2, to)
            }
        }
        explore(0, 1)
        return depths
    }

    /// The parts of a strip that go farther than a distance, which changes from one end to the other.
    private func parts(_ depths: [Depth], beyond distance: (start: Double, end: Double)) -> [[Depth]] {
        func rest(_ depth: Depth) -> Double {
            depth.distance - distance.start - depth.t * (distance.end - distance.start)
        }
        var parts: [[Depth]] = []
        for (index, depth) in depths.enumerated() {
            let own = rest(depth)
            let before = index > 0 ? rest(depths[index - 1]) : own
            if index > 0, (own < 0) != (before < 0) {
                let last = depths[index - 1]
                let t = last.t + before / (before - own) * (depth.t - last.t)
                let border = Depth(t: t, distance: distance.start + t * (distance.end - distance.start))
                if own < 0 { parts[parts.count - 1].append(border) } else { parts.append([border]) }
            } else if index == 0, own >= 0 {
                parts.append([])
            }
            if own >= 0 { parts[parts.count - 1].append(depth) }
        }
        return parts.filter { $0.count > 1 }
    }
}

// MARK: - Curves

extension ContourIsolines {
    /// Calls with the parts of the curves in the middle of all lines. A part of a single point is a dot.
    ///
    /// - Throws: `EngineError.cancelled`, and what `body` throws.
    package func forEachCurve(
        isCancelled: () -> Bool, _ body: ([Point]) throws(EngineError) -> Void
    ) throws(EngineError) {
        let outermost = brush.lines / 2
        if line.path.samples.count == 1, let only = line.path.samples.first, size(only) > 0 {
            try body([only.position])
        }
        for side in [1.0, -1] {
            var open = Array(repeating: [Point](), count: outermost + 1)
            try forEachStrip(side: side, isCancelled: isCancelled) { (strip) throws(EngineError) in
                let depths = outermost > 0 ? self.depths(of: strip) : []
                for number in 0...outermost {
                    let factor = Double(number) * brush.spacing
                    let distance = (start: factor * strip.sizes.start, end: factor * strip.sizes.end)
                    // The middle line is there wherever the stroke is, and on neither side.
                    if number == 0, strip.segment == nil || side < 0 { continue }
                    let parts =
                        number == 0
                        ? [[Depth(t: 0, distance: 0), Depth(t: 1, distance: 0)]] : parts(depths, beyond: distance)
                    for part in parts {
                        let ends = [part[0], part[part.count - 1]].map { end in
                            strip.place(end.t, distance.start + end.t * (distance.end - distance.start))
                        }
                        if let last = open[number].last, (last - ends[0]).length <= ContourIsolines.joint * pixel {
                            open[number].append(ends[1])
                        } else {
                            if !open[number].isEmpty { try body(open[number]) }
                            open[number] = ends
                        }
                    }
                }
            }
            for curve in open where !curve.isEmpty { try body(curve) }
        }
    }

    /// How far apart the ends of parts may lie that are one, in pixels.
    private static let joint = 0.02
}

// MARK: - Areas

extension ContourIsolines {
    /// A polygon that may go on where it ends.
    private struct Band {
        /// Its sides, towards the stroke and away from it.
        var inner: [Point] = []
        var outer: [Point] = []

        /// Its corners, clockwise on both sides of the stroke.
        func corners(side: Double) -> [Point] { side > 0 ? inner + outer.reversed() : outer + inner.reversed() }
    }

    /// The distances between which a line lies where its size is 1.
    private var ranges: [ClosedRange<Double>] {
        let half = brush.lineWidth / 2
        // Lines that touch are one.
        if brush.lineWidth >= brush.spacing { return [0...reach(1)] }
        return (0...brush.lines / 2).map { number in
            let middle = Double(number) * brush.spacing
            return max(middle - half, 0)...middle + half
        }
    }

    /// Calls with polygons, all of one direction round, whose union is the area of all lines.
    ///
    /// - Throws: `EngineError.cancelled`, and what `body` throws.
    package func forEachArea(
        isCancelled: () -> Bool, _ body: ([Point]) throws(EngineError) -> Void
    ) throws(EngineError) {
        let ranges = ranges
        for side in [1.0, -1] {
            var open = [Band?](repeating: nil, count: ranges.count)
            try forEachStrip(side: side, isCancelled: isCancelled) { (strip) throws(EngineError) in
                let depths = depths(of: strip)
                for (index, range) in ranges.enumerated() {
                    let from = (start: range.lowerBound * strip.sizes.start, end: range.lowerBound * strip.sizes.end)
                    for part in parts(depths, beyond: from) {
                        let (added, goesOn) = band(strip, part, range)
                        if var band = open[index], goesOn.before, joins(band, added) {
                            band.inner += added.inner.dropFirst()
                            band.outer += added.outer.dropFirst()
                            open[index] = band
                        } else {
                            if let band = open[index] { try body(band.corners(side: side)) }
                            open[index] = added
                        }
                        guard let band = open[index] else { continue }
                        if !goesOn.after || band.inner.count > ContourIsolines.cornersMax {
                            try body(band.corners(side: side))
                            open[index] =
                                goesOn.after ? Band(inner: band.inner.suffix(1), outer: band.outer.suffix(1)) : nil
                        }
                    }
                }
            }
            for case .some(let band) in open where band.inner.count > 1 { try body(band.corners(side: side)) }
        }
    }

    /// Corners of one side of a polygon before the next one begins.
    private static let cornersMax = 4096

    private func joins(_ band: Band, _ next: Band) -> Bool {
        func meet(_ a: [Point], _ b: [Point]) -> Bool {
            guard let last = a.last, let first = b.first else { return false }
            return (last - first).length <= ContourIsolines.joint * pixel
        }
        return meet(band.inner, next.inner) && meet(band.outer, next.outer)
    }

    /// The polygon of a line in a part of a strip.
    ///
    /// - Returns: Also whether it may be continued across its ends: whether a straight line leads from the end of the
    ///   one side to that of the other.
    private func band(
        _ strip: Strip, _ part: [Depth], _ range: ClosedRange<Double>
    ) -> (band: Band, goesOn: (before: Bool, after: Bool)) {
        func end(_ t: Double) -> Double { range.upperBound * strip.size(t) }
        func beginning(_ t: Double) -> Double { range.lowerBound * strip.size(t) }
        // Where the strip goes farther than the line, and where less.
        var outline: [Depth] = []
        for depth in part {
            if let last = outline.last {
                let (before, own) = (last.distance - end(last.t), depth.distance - end(depth.t))
                if (before < 0) != (own < 0), before != 0, own != 0 {
                    let t = last.t + before / (before - own) * (depth.t - last.t)
                    outline.append(Depth(t: t, distance: end(t)))
                }
            }
            outline.append(depth)
        }
        let corners = outline.map { depth in
            (
                point: strip.place(depth.t, min(depth.distance, end(depth.t))),
                isFull: depth.distance >= end(depth.t) - 1e-6 * pixel
            )
        }
        let (first, last) = (part[0].t, part[part.count - 1].t)
        let inner = [strip.place(first, beginning(first)), strip.place(last, beginning(last))]
        guard let start = corners.firstIndex(where: \.isFull), let stop = corners.lastIndex(where: \.isFull) else {
            return (Band(inner: inner, outer: corners.map(\.point)), (false, false))
        }
        let before = isStraight(inner[0], corners[...start].map(\.point))
        let after = isStraight(inner[1], corners[stop...].map(\.point).reversed())
        let outer = corners[(before ? start : 0)...(after ? stop : corners.count - 1)].map(\.point)
        return (Band(inner: inner, outer: outer), (before, after))
    }

    /// Whether points lie on a straight line from another to the last of them.
    private func isStraight(_ from: Point, _ points: [Point]) -> Bool {
        guard let to = points.last, points.count > 1 else { return true }
        let way = to - from
        let length = max(way.length, 1e-300)
        return points.allSatisfy { point in
            let own = point - from
            return abs(way.x * own.y - way.y * own.x) / length <= ContourIsolines.joint / 2 * pixel
        }
    }
}
