import Foundation
package import InkEngine

/// What spec 3.3 derives from a brush and a stamp: "Centre c, k = scale * size, ... P = spacing * k, width
/// w = lineWidth * k", and the unit vectors u along and v across.
struct StampFrame {
    var c: Point
    var k: Double
    var p: Double
    var w: Double
    var u: Point
    var v: Point

    init(_ stamp: Stamp, _ brush: Brush) {
        c = stamp.center
        k = brush.scale * dynamicSize(brush, pressure: stamp.pressure)
        p = brush.spacing * k
        w = brush.lineWidth * k
        let a = stampAngle(stamp, brush)
        u = Point(x: cos(a), y: sin(a))
        v = Point(x: -sin(a), y: cos(a))
    }

    /// This frame at a + 90 degrees.
    var turned: StampFrame {
        var frame = self
        frame.u = v
        frame.v = -1 * u
        return frame
    }
}

/// Spec 10.3: "size = minimumSize + (1 - minimumSize) * pressure where pressureAffectsSize"
package func dynamicSize(_ brush: Brush, pressure: Double) -> Double {
    let dynamics = brush.dynamics
    return dynamics.pressureAffectsSize ? dynamics.minimumSize + (1 - dynamics.minimumSize) * pressure : 1
}

/// Spec 10.3: "alpha = opacity * (minimumOpacity + (1 - minimumOpacity) * pressure) where pressureAffectsOpacity"
package func dynamicAlpha(_ brush: Brush, pressure: Double) -> Double {
    let dynamics = brush.dynamics
    guard dynamics.pressureAffectsOpacity else { return brush.opacity }
    return brush.opacity * (dynamics.minimumOpacity + (1 - dynamics.minimumOpacity) * pressure)
}

/// "angle a = rotation + (tiltAffectsRotation ? azimuth : 0)", here in radians. Spec 10.5: "the polyline's direction at the
/// stamp (0 for a tap) is added to the angle a".
func stampAngle(_ stamp: Stamp, _ brush: Brush) -> Double {
    let turn = (brush.rotation + (brush.dynamics.tiltAffectsRotation ? stamp.azimuth : 0)) * Double.pi / 180
    return brush.followsPath ? turn + atan2(stamp.direction.y, stamp.direction.x) : turn
}

/// The shapes of a stroke's stamps with the alpha of each, in arc-length order (spec 3.3 and 3.4).
///
/// "A stamp of size 0 draws nothing".
///
/// Precondition: the brush has stamps: it is neither `solid` nor `contourLines`.
package func stampShapes(of stamps: [Stamp], brush: Brush) -> [(shape: UnionOfParts, alpha: Double)] {
    precondition(brush.type != .solid && brush.type != .contourLines)
    return stamps.compactMap { stamp in
        let frame = StampFrame(stamp, brush)
        guard frame.k > 0 else { return nil }
        let parts: [Part]
        switch brush.type {
        case .crossHatch: parts = parallelLines(frame, brush) + parallelLines(frame.turned, brush)
        case .dots: parts = dots(frame, brush)
        case .waves: parts = waves(frame, brush)
        case .parallelLines, .contourLines, .solid: parts = parallelLines(frame, brush)
        }
        return (UnionOfParts(parts: parts), dynamicAlpha(brush, pressure: stamp.pressure))
    }
}

/// Spec 10.4: "`lines` ... is the number of lines ... (i = -m...m)", "2 m + 1".
private func lineNumbers(_ brush: Brush) -> ClosedRange<Int> {
    let m = (brush.lines - 1) / 2
    return -m...m
}

/// "for i = -3...3 the segment from c + i P v - 10 k u to c + i P v + 10 k u, width w, butt caps"
private func parallelLines(_ f: StampFrame, _ brush: Brush) -> [Part] {
    lineNumbers(brush).map { i in
        let middle = f.c + (Double(i) * f.p) * f.v
        return .line(from: middle - (10 * f.k) * f.u, to: middle + (10 * f.k) * f.u, width: f.w)
    }
}

/// "for i, j = -5...5 a disc of radius 2 k at c + i P u + j P v"; 10.4: "`dotRadius` ... in place of 2".
private func dots(_ f: StampFrame, _ brush: Brush) -> [Part] {
    (-5...5).flatMap { i in
        (-5...5).map { j in
            .disc(center: f.c + (Double(i) * f.p) * f.u + (Double(j) * f.p) * f.v, radius: brush.dotRadius * f.k)
        }
    }
}

/// "parallelLines' seven lines, each displaced across by (P / 4) sin(2 pi t / (10 k)), t from -10 k to 10 k along u
/// measured from the line's middle: a polyline of 32 equal steps of t, width w, butt caps, round joins"
private func waves(_ f: StampFrame, _ brush: Brush) -> [Part] {
    waveLines(f, brush).flatMap { vertices -> [Part] in
        // Butt caps: nothing at the two ends. Round joins, as SVG and PDF have them: at each of the vertices between, the
        // sector of the disc between the two outer corners.
        let steps = zip(vertices, vertices.dropFirst()).map { Part.line(from: $0, to: $1, width: f.w) }
        let joins = (1..<(vertices.count - 1)).flatMap {
            roundJoin(vertices[$0 - 1], vertices[$0], vertices[$0 + 1], width: f.w)
        }
        return steps + joins
    }
}

/// The polylines of a waves stamp. Spec 10.4: "sin(2 pi t / (waveLength k)), a stamp's lines in max(32, ceil(320 /
/// waveLength)) equal steps".
func waveLines(_ f: StampFrame, _ brush: Brush) -> [[Point]] {
    let steps = max(32, Int((320 / brush.waveLength).rounded(.up)))
    return lineNumbers(brush).map { i in
        let middle = f.c + (Double(i) * f.p) * f.v
        return (0...steps).map { step in
            let t = mix(-10 * f.k, 10 * f.k, Double(step) / Double(steps))
            let displacement = f.p / 4 * sin(2 * Double.pi * t / (brush.waveLength * f.k))
            return middle + t * f.u + displacement * f.v
        }
    }
}

/// The sector of a round join at `b` as slices too thin to tell from an arc.
private func roundJoin(_ a: Point, _ b: Point, _ c: Point, width: Double) -> [Part] {
    let before = atan2(b.y - a.y, b.x - a.x)
    let turn = remainder(atan2(c.y - b.y, c.x - b.x) - before, 2 * Double.pi)
    let outside = turn > 0 ? -Double.pi / 2 : Double.pi / 2
    let corners = (0...16).map { slice -> Point in
        let angle = before + outside + turn * Double(slice) / 16
        return b + (width / 2) * Point(x: cos(angle), y: sin(angle))
    }
    return zip(corners, corners.dropFirst()).map { .quad(b, $0, $1, b) }
}

/// Spec 4: "the union over its segments of the convex hull of two discs of radii r = 0.5 * lineWidth * scale * size at
/// the segment's ends". "One point is a disc."
package func solidShape(of path: [PathSample], brush: Brush) -> UnionOfParts {
    func radius(_ sample: PathSample) -> Double {
        0.5 * brush.lineWidth * brush.scale * dynamicSize(brush, pressure: sample.pressure)
    }
    var parts = path.map { Part.disc(center: $0.position, radius: radius($0)) }
    for (from, to) in zip(path, path.dropFirst()) {
        if let flank = hullFlank(from.position, radius(from), to.position, radius(to)) { parts.append(flank) }
    }
    return UnionOfParts(parts: parts)
}

/// The convex hull of two discs is the discs and the quadrilateral of the points where their outer tangents touch;
/// nil when one disc holds the other.
private func hullFlank(_ a: Point, _ radiusA: Double, _ b: Point, _ radiusB: Double) -> Part? {
    let length = distance(a, b)
    let sine = (radiusA - radiusB) / length
    guard length > 0, abs(sine) < 1 else { return nil }
    let along = (1 / length) * (b - a)
    let across = Point(x: -along.y, y: along.x)
    // A tangent touches both discs in the direction that makes the angle asin(sine) with the normal of the axis.
    let cosine = (1 - sine * sine).squareRoot()
    let upper = sine * along + cosine * across
    let lower = sine * along - cosine * across
    return .quad(a + radiusA * upper, b + radiusB * upper, b + radiusB * lower, a + radiusA * lower)
}
