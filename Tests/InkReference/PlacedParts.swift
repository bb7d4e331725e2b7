import Foundation
import InkEngine

/// A part in output pixels: an ellipse with axes along x and y, or a convex quadrilateral. It holds no array, because a
/// picture asks many million times for a span.
struct PlacedPart {
    var minX: Double
    var maxX: Double
    var minY: Double
    var maxY: Double
    /// Nil for an ellipse.
    var corners: InlineArray<4, Point>?
    /// The y of each corner; nil for an ellipse.
    var cornerHeights: [Double]? { corners.map { corners in (0..<4).map { corners[$0].y } } }

    init(ellipse center: Point, radiusX: Double, radiusY: Double) {
        corners = nil
        (minX, maxX) = (center.x - radiusX, center.x + radiusX)
        (minY, maxY) = (center.y - radiusY, center.y + radiusY)
    }

    init(corners: InlineArray<4, Point>) {
        self.corners = corners
        let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
        (minX, maxX) = (min(a.x, b.x, c.x, d.x), max(a.x, b.x, c.x, d.x))
        (minY, maxY) = (min(a.y, b.y, c.y, d.y), max(a.y, b.y, c.y, d.y))
    }

    /// The part's sides between y = `top` and y = `bottom`; nil when the middle of the strip is outside it.
    func span(_ top: Double, _ bottom: Double) -> Span? {
        let middle = (top + bottom) / 2
        guard middle > minY, middle < maxY else { return nil }
        guard let corners else {
            let halfTop = halfWidth(at: top)
            let halfBottom = halfWidth(at: bottom)
            let x = (minX + maxX) / 2
            return Span(
                left: Side(top: x - halfTop, bottom: x - halfBottom),
                right: Side(top: x + halfTop, bottom: x + halfBottom))
        }
        var sides = InlineArray<4, Side>(repeating: Side(top: 0, bottom: 0))
        var count = 0
        for i in 0..<4 {
            let a = corners[i]
            let b = corners[(i + 1) & 3]
            // Half-open, so that a corner counts once: a convex outline crosses the middle exactly twice.
            guard (a.y <= middle) != (b.y <= middle) else { continue }
            func x(at y: Double) -> Double {
                min(max(a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y), min(a.x, b.x)), max(a.x, b.x))
            }
            sides[count] = Side(top: x(at: top), bottom: x(at: bottom))
            count += 1
        }
        guard count == 2 else { return nil }
        return sides[0].middle <= sides[1].middle
            ? Span(left: sides[0], right: sides[1]) : Span(left: sides[1], right: sides[0])
    }

    private func halfWidth(at y: Double) -> Double {
        let fromCenter = (y - (minY + maxY) / 2) / ((maxY - minY) / 2)
        return (maxX - minX) / 2 * max(0, 1 - fromCenter * fromCenter).squareRoot()
    }

    /// The y of every corner; for an ellipse points so close together that no chord strays by more than `sagitta`.
    func appendCuts(sagitta: Double, to cuts: inout [Double]) {
        if let cornerHeights {
            cuts += cornerHeights
            return
        }
        let radius = max(maxX - minX, maxY - minY) / 2
        guard radius > 0 else { return }
        // sagitta = radius (1 - cos(step / 2)), about radius step^2 / 8.
        let count = max(4, (Double.pi / (8 * sagitta / radius).squareRoot()).rounded(.up))
        var index = 0.0
        while index <= count {
            cuts.append((minY + maxY) / 2 - (maxY - minY) / 2 * cos(Double.pi * index / count))
            index += 1
        }
    }

    /// The y of every crossing of an edge of this quadrilateral with an edge of the other.
    func appendCrossings(with other: PlacedPart, to cuts: inout [Double]) {
        guard let corners, let others = other.corners, minX <= other.maxX, other.minX <= maxX, minY <= other.maxY,
            other.minY <= maxY
        else { return }
        for i in 0..<4 {
            let a = corners[i]
            let ab = corners[(i + 1) & 3] - a
            for j in 0..<4 {
                let c = others[j]
                let cd = others[(j + 1) & 3] - c
                let cross = ab.x * cd.y - ab.y * cd.x
                guard cross != 0 else { continue }
                let ac = c - a
                let t = (ac.x * cd.y - ac.y * cd.x) / cross
                let u = (ac.x * ab.y - ac.y * ab.x) / cross
                if t >= 0, t <= 1, u >= 0, u <= 1 { cuts.append(a.y + t * ab.y) }
            }
        }
    }
}

/// The union of parts in output pixels.
struct PlacedParts: PlacedRegion {
    var parts: [PlacedPart]

    /// Pairs of edges are compared only in shapes of at most so many parts.
    private static let crossingPartsMax = 64
    /// No chord strays by more from its arc, in pixels.
    private static let sagitta = 1.0 / 1024

    var bounds: Rect {
        parts.reduce(into: Rect.empty) { box, part in
            box = Rect(
                minX: min(box.minX, part.minX), minY: min(box.minY, part.minY), maxX: max(box.maxX, part.maxX),
                maxY: max(box.maxY, part.maxY))
        }
    }

    var cuts: [Double] {
        var cuts: [Double] = []
        for part in parts { part.appendCuts(sagitta: PlacedParts.sagitta, to: &cuts) }
        if parts.count <= PlacedParts.crossingPartsMax {
            for i in parts.indices {
                for j in parts.indices where j > i { parts[i].appendCrossings(with: parts[j], to: &cuts) }
            }
        }
        return cuts
    }

    func reaching(from top: Double, to bottom: Double) -> PlacedParts {
        PlacedParts(parts: parts.filter { $0.minY < bottom && $0.maxY > top })
    }

    func spans(_ top: Double, _ bottom: Double) -> [Span] {
        var spans: [Span] = []
        for part in parts {
            if let span = part.span(top, bottom) { spans.append(span) }
        }
        spans.sort { $0.left.middle < $1.left.middle }
        var count = 0
        for index in spans.indices {
            let span = spans[index]
            if count > 0, span.left.middle <= spans[count - 1].right.middle {
                if span.right.middle > spans[count - 1].right.middle { spans[count - 1].right = span.right }
            } else {
                spans[count] = span
                count += 1
            }
        }
        spans.removeLast(spans.count - count)
        return spans
    }
}
