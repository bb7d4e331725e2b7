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
    case .dots: return UnionOfParts(parts: dots(frame, in: box))
    case .waves: return UnionOfParts(parts: waves(frame, in: box))
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

/// "discs of radius 2 k at i P u + j P v"
private func dots(_ f: PatternFrame, in box: Rect) -> [Part] {
    f.indices(in: f.reach(of: box, along: f.u), margin: 2 * f.k, step: f.p).flatMap { i in
        f.indices(in: f.reach(of: box, along: f.v), margin: 2 * f.k, step: f.p).map { j in
            .disc(center: f.origin + (Double(i) * f.p) * f.u + (Double(j) * f.p) * f.v, radius: 2 * f.k)
        }
    }
}

/// "the lines i, displaced across by (P / 4) sin(2 pi t / (10 k)), t from the origin along u, vertices at t = whole
/// multiples of 0.625 k, width w, round joins"
private func waves(_ f: PatternFrame, in box: Rect) -> [Part] {
    // Sixteen steps make a period of 10 k.
    let step = 0.625 * f.k
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
    /// Spec 8.1: "The stroke is one shape, the part of the pattern inside the footprint, its alpha as in section 4." Nil
    /// when it misses the picture.
    package func coverage(ofCanvasPattern stroke: Stroke, origin: Point) -> Coverage? {
        // "The footprint is the solid shape of section 4 with r = 0.5 * `size` * scale * (pressureAffectsSize ? 0.5 + 0.5
        // pressure : 1)"
        var pen = stroke.brush
        pen.lineWidth = pen.size
        let footprint = solidShape(of: smoothedPath(stroke.points), brush: pen)
        guard let pixels = pixels(of: footprint) else { return nil }
        let box = Rect(
            minX: Double(pixels.x) / scaleX, minY: Double(pixels.y) / scaleY,
            maxX: Double(pixels.x + pixels.width) / scaleX, maxY: Double(pixels.y + pixels.height) / scaleY)
        let pattern = canvasPattern(stroke.brush, origin: origin, in: box)
        return coverage(of: pattern, inside: footprint, pixels: pixels)
    }
}

extension ReferenceRenderer {
    /// The alpha of a stroke that uncovers a pattern; one number a pixel.
    static func patternAlpha(
        _ stroke: Stroke, output: PixelSize, scanner: CoverageScanner, origin: Point
    ) -> [Double] {
        var result = [Double](repeating: 0, count: output.area)
        guard let coverage = scanner.coverage(ofCanvasPattern: stroke, origin: origin) else { return result }
        let alpha = solidAlpha(stroke)
        for y in coverage.rect.rows {
            for x in coverage.rect.columns { result[y * output.width + x] = alpha * min(max(coverage[x, y], 0), 1) }
        }
        return result
    }
}
