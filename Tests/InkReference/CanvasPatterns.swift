import Foundation
package import InkEngine

/// What spec 8.1 derives from a brush: "k = scale, P = spacing * scale, w = lineWidth * scale, u and v as in 3.3
/// (a = rotation)". "Tilt counts for nothing."
private struct PatternFrame {
    /// Where the canvas's origin lies.
    var origin: Point
    var k: Double
    var p: Double
    var w: Double
    var u: Point
    var v: Point

    init(_ brush: Brush, origin: Point) {
        self.origin = origin
        k = brush.scale
        p = brush.spacing * brush.scale
        w = brush.lineWidth * brush.scale
        u = unitVector(degrees: brush.rotation)
        v = Point(x: -u.y, y: u.x)
    }

    /// This frame at a + 90 degrees.
    var turned: PatternFrame {
        var frame = self
        frame.u = v
        frame.v = -1 * u
        return frame
    }

    /// The least and the greatest distance of a rectangle's points from the origin, along a unit vector.
    func reach(of box: Rect, along axis: Point) -> ClosedRange<Double> {
        let distances = [box.minX, box.maxX].flatMap { x in
            [box.minY, box.maxY].map { y in (x - origin.x) * axis.x + (y - origin.y) * axis.y }
        }
        return distances.min()!...distances.max()!
    }

    /// The whole numbers i for which i * step is in `range` or within `margin` of it.
    func indices(in range: ClosedRange<Double>, margin: Double, step: Double) -> ClosedRange<Int> {
        let first = ((range.lowerBound - margin) / step).rounded(.down)
        let last = ((range.upperBound + margin) / step).rounded(.up)
        return Int(first)...Int(last)
    }
}

/// Spec 8.1: the pattern of a brush that is tied to the canvas, as far as it reaches into `box`.
///
/// - Parameters:
///   - origin: where the canvas's origin lies, which a viewport moves.
///   - box: in the space of `origin` and of the brush.
/// - Precondition: `brush.type` is one of the four that can lie still.
package func canvasPattern(_ brush: Brush, origin: Point, in box: Rect) -> UnionOfParts {
    let frame = PatternFrame(brush, origin: origin)
    switch brush.type {
    case .parallelLines: return UnionOfParts(parts: lines(frame, in: box))
    // "those and the lines along v through i P u"
    case .crossHatch: return UnionOfParts(parts: lines(frame, in: box) + lines(frame.turned, in: box))
    case .dots: return UnionOfParts(parts: dots(frame, radius: brush.dotRadius * frame.k, in: box))
    case .waves: return UnionOfParts(parts: waves(frame, length: brush.waveLength * frame.k, in: box))
    case .contourLines, .solid: preconditionFailure("\(brush.type) has no pattern that lies still")
    }
}

/// "the lines along u through i P v for all whole i, width w"
private func lines(_ f: PatternFrame, in box: Rect) -> [Part] {
    let along = f.reach(of: box, along: f.u)
    return f.indices(in: f.reach(of: box, along: f.v), margin: f.w / 2, step: f.p).map { i in
        // One unit longer on both sides, so that no end shows.
        func point(_ t: Double) -> Point { f.origin + (Double(i) * f.p) * f.v + t * f.u }
        return .line(from: point(along.lowerBound - 1), to: point(along.upperBound + 1), width: f.w)
    }
}

/// "discs of radius 2 k at i P u + j P v"; 10.4: "`dotRadius` ... in place of 2".
private func dots(_ f: PatternFrame, radius: Double, in box: Rect) -> [Part] {
    f.indices(in: f.reach(of: box, along: f.u), margin: radius, step: f.p).flatMap { i in
        f.indices(in: f.reach(of: box, along: f.v), margin: radius, step: f.p).map { j in
            .disc(center: f.origin + (Double(i) * f.p) * f.u + (Double(j) * f.p) * f.v, radius: radius)
        }
    }
}

/// "the lines i, displaced across by (P / 4) sin(2 pi t / (10 k)), t from the origin along u, vertices at t = whole
/// multiples of 0.625 k, width w, round joins"; 10.4: "a canvas wave's vertices at multiples of waveLength k / 16".
private func waves(_ f: PatternFrame, length: Double, in box: Rect) -> [Part] {
    let step = length / 16
    let vertices = f.indices(in: f.reach(of: box, along: f.u), margin: f.w / 2 + step, step: step)
    return f.indices(in: f.reach(of: box, along: f.v), margin: f.p / 4 + f.w / 2, step: f.p).flatMap { i -> [Part] in
        let line = vertices.map { n -> Point in
            let displacement = f.p / 4 * sin(2 * Double.pi * Double(n % 16) / 16)
            return f.origin + (Double(n) * step) * f.u + (Double(i) * f.p + displacement) * f.v
        }
        // A line without ends: what is nearest to a vertex lies in the sector of its join, so that whole discs add
        // nothing to the sectors.
        return zip(line, line.dropFirst()).map { .line(from: $0, to: $1, width: f.w) }
            + line.map { .disc(center: $0, radius: f.w / 2) }
    }
}

extension CoverageScanner {
    /// What is drawn of a pattern that lies still, as regions of which the common part counts; nil where nothing of the picture
    /// is.
    ///
    /// - Parameters:
    ///   - origin: where the canvas's origin lies, which a viewport moves.
    ///   - bounds: of what uncovers the pattern, in output pixels.
    ///   - uncovers: whether a point of the canvas is uncovered, or within 1e-5 canvas pixels of what is.
    /// - Returns: the pattern, and whether what uncovers it cuts it.
    func pattern(
        _ brush: Brush, origin: Point, bounds: Rect, uncovers: (Point) -> Bool
    ) -> (parts: UnionOfParts, isCut: Bool)? {
        let isWhole = brush.edge == .whole && brush.type == .dots
        let reach = isWhole ? (brush.dotRadius * brush.scale) : 0
        let grown = Rect(
            minX: bounds.minX - reach * scaleX, minY: bounds.minY - reach * scaleY,
            maxX: bounds.maxX + reach * scaleX, maxY: bounds.maxY + reach * scaleY)
        guard !bounds.isEmpty, let pixels = pixels(in: grown) else { return nil }
        let box = Rect(
            minX: Double(pixels.x) / scaleX, minY: Double(pixels.y) / scaleY,
            maxX: Double(pixels.x + pixels.width) / scaleX, maxY: Double(pixels.y + pixels.height) / scaleY)
        var parts = canvasPattern(brush, origin: origin, in: box)
        // Spec 10.4: "dots whose centres lie inside it, or within 1e-5 canvas pixels of its outline, are drawn whole"
        if isWhole {
            parts.parts.removeAll {
                if case .disc(let center, _) = $0 { !uncovers(center) } else { false }
            }
        }
        return (parts, !isWhole)
    }
}

/// Spec 10.4: "within 1e-5 canvas pixels of its outline"
let outlineMargin = 1e-5
