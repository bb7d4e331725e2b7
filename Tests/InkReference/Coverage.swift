import Foundation
package import InkEngine

/// How much of each pixel of a rectangle a shape covers.
package struct Coverage: Sendable {
    package var rect: PixelRect
    /// Row-major over `rect`; 0...1.
    package var values: [Double]

    /// 0 outside `rect`.
    package subscript(x: Int, y: Int) -> Double {
        guard rect.columns.contains(x), rect.rows.contains(y) else { return 0 }
        return values[(y - rect.y) * rect.width + x - rect.x]
    }
}

/// Spec 3.5: "the area of the pixel that the shape covers, 0...1 (box filter, exact area)".
///
/// The picture is cut into horizontal strips: at every corner of a part, at points along the arcs (so close that a
/// chord is within 1/1024 pixel of its arc), where edges of different parts cross (shapes of few parts), and
/// `stripsPerPixel` times a pixel. Within a strip every part is a trapezoid and the parts keep their order, so the
/// area of the union in each pixel follows in closed form.
package struct CoverageScanner {
    /// Output pixels per canvas pixel.
    let scaleX: Double
    let scaleY: Double
    let output: PixelSize
    let stripsPerPixel: Int

    /// Cuts nearer than this many pixels to the one before are left out.
    private let thinnestStrip = 1.0 / 2048
    private let sagitta = 1.0 / 1024
    /// Pairs of edges are compared only in shapes of at most so many parts.
    private let crossingPartsMax = 64

    package init(canvas: CanvasSize, output: PixelSize, stripsPerPixel: Int) {
        scaleX = Double(output.width) / canvas.width
        scaleY = Double(output.height) / canvas.height
        self.output = output
        self.stripsPerPixel = stripsPerPixel
    }

    /// The coverage of every pixel that the shape touches; nil when it misses the picture.
    package func coverage(of shape: UnionOfParts) -> Coverage? {
        let width = Double(output.width)
        let height = Double(output.height)
        // Spec 1: "Geometry is built in canvas space and then scaled by s".
        let parts = shape.parts.map(place).filter { (part) -> Bool in
            let meetsAcross = part.maxX > 0 && part.minX < width
            return meetsAcross && part.maxY > 0 && part.minY < height
        }
        guard !parts.isEmpty else { return nil }
        let left = Int(max(0, parts.map(\.minX).min()!.rounded(.down)))
        let right = Int(min(width, parts.map(\.maxX).max()!.rounded(.up)))
        let top = Int(max(0, parts.map(\.minY).min()!.rounded(.down)))
        let bottom = Int(min(height, parts.map(\.maxY).max()!.rounded(.up)))
        guard left < right, top < bottom else { return nil }
        let rect = PixelRect(x: left, y: top, width: right - left, height: bottom - top)
        var values = [Double](repeating: 0, count: rect.area)
        let cuts = self.cuts(of: parts)
        var nextCut = 0
        for row in rect.rows {
            var rowCuts: [Double] = []
            while nextCut < cuts.count, cuts[nextCut] < Double(row) { nextCut += 1 }
            while nextCut < cuts.count, cuts[nextCut] < Double(row + 1) {
                rowCuts.append(cuts[nextCut])
                nextCut += 1
            }
            let active = parts.filter { $0.minY < Double(row + 1) && $0.maxY > Double(row) }
            let rowStart = (row - rect.y) * rect.width
            scan(row: row, cuts: rowCuts, parts: active, columns: rect.columns, into: &values, at: rowStart)
        }
        return Coverage(rect: rect, values: values)
    }

    /// Adds the area of the union of `parts` in each pixel of one row.
    private func scan(
        row: Int, cuts: [Double], parts: [PlacedPart], columns: Range<Int>, into values: inout [Double],
        at rowStart: Int
    ) {
        var all = cuts
        for n in 1...stripsPerPixel { all.append(Double(row) + Double(n) / Double(stripsPerPixel)) }
        all.sort()
        var top = Double(row)
        let end = Double(row + 1)
        var spans: [Span] = []
        for cut in all where cut == end || (cut - top >= thinnestStrip && end - cut >= thinnestStrip) {
            spans.removeAll(keepingCapacity: true)
            for part in parts {
                if let span = part.span(top, cut) { spans.append(span) }
            }
            unite(&spans)
            for span in spans {
                add(span, height: cut - top, columns: columns, into: &values, at: rowStart)
            }
            top = cut
        }
    }

    /// Merges spans that overlap or touch at the middle of the strip; each result takes its left side from one part
    /// and its right side from one part.
    private func unite(_ spans: inout [Span]) {
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
    }

    private func add(
        _ span: Span, height: Double, columns: Range<Int>, into values: inout [Double], at rowStart: Int
    ) {
        let first = max(Double(columns.lowerBound), min(span.left.top, span.left.bottom).rounded(.down))
        let last = min(Double(columns.upperBound), max(span.right.top, span.right.bottom).rounded(.up))
        guard first < last else { return }
        for column in Int(first)..<Int(last) {
            let share = span.left.meanShareToTheRight(column) - span.right.meanShareToTheRight(column)
            values[rowStart + column - columns.lowerBound] += height * share
        }
    }

    /// Where strips must end, sorted.
    private func cuts(of parts: [PlacedPart]) -> [Double] {
        var cuts: [Double] = []
        for part in parts { part.appendCuts(sagitta: sagitta, to: &cuts) }
        if parts.count <= crossingPartsMax {
            for i in parts.indices {
                for j in parts.indices where j > i { parts[i].appendCrossings(with: parts[j], to: &cuts) }
            }
        }
        return cuts.filter { $0 >= 0 && $0 <= Double(output.height) }.sorted()
    }

    private func place(_ point: Point) -> Point { Point(x: point.x * scaleX, y: point.y * scaleY) }

    func place(_ part: Part) -> PlacedPart {
        switch part {
        case .disc(let center, let radius):
            PlacedPart(ellipse: place(center), radiusX: radius * scaleX, radiusY: radius * scaleY)
        case .quad(let a, let b, let c, let d): PlacedPart(corners: [place(a), place(b), place(c), place(d)])
        }
    }
}

/// A boundary of a part within a strip: a straight line from x = `top` to x = `bottom`.
struct Side {
    var top: Double
    var bottom: Double
    var middle: Double { (top + bottom) / 2 }

    /// The mean over the strip of the share of the pixel column [column, column + 1) that lies right of the line.
    func meanShareToTheRight(_ column: Int) -> Double {
        meanLengthLeft(of: Double(column + 1)) - meanLengthLeft(of: Double(column))
    }

    /// The mean of max(0, x - line) over the strip: the line's x is spread evenly between its two ends.
    private func meanLengthLeft(of x: Double) -> Double {
        let low = min(top, bottom)
        let high = max(top, bottom)
        if x <= low { return 0 }
        if x >= high { return x - middle }
        return (x - low) * (x - low) / (2 * (high - low))
    }
}

struct Span {
    var left: Side
    var right: Side
}

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
