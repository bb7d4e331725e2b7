package import InkEngine

/// How much of each pixel of a rectangle a shape covers.
package struct Coverage: Sendable {
    package var rect: PixelRect
    /// Row-major over `rect`; 0...1 but for rounding.
    package var values: [Double]

    /// 0 outside `rect`.
    package subscript(x: Int, y: Int) -> Double {
        guard rect.columns.contains(x), rect.rows.contains(y) else { return 0 }
        return values[(y - rect.y) * rect.width + x - rect.x]
    }
}

/// A part of the plane, in output pixels, by its borders in thin level strips.
protocol PlacedRegion {
    /// Empty where there is nothing.
    var bounds: Rect { get }
    /// The heights at which strips must end so that borders are straight within them and keep their order.
    var cuts: [Double] { get }
    /// What of it may reach between two heights.
    func reaching(from top: Double, to bottom: Double) -> Self
    /// What a strip has of it, apart from each other, from the left; each takes its left side from one border and its right
    /// side from one.
    func spans(_ top: Double, _ bottom: Double) -> [Span]
}

/// Spec 3.5: "the area of the pixel that the shape covers, 0...1 (box filter, exact area)".
///
/// The picture is cut into horizontal strips: at every corner of a part, at points along the arcs (so close that a
/// chord is within 1/1024 pixel of its arc), where edges cross (shapes of few parts), and `stripsPerPixel` times a pixel.
/// Within a strip everything is a trapezoid and keeps its order, so the area in each pixel follows in closed form.
package struct CoverageScanner {
    /// Output pixels per canvas pixel.
    let scaleX: Double
    let scaleY: Double
    let output: PixelSize
    let stripsPerPixel: Int

    /// Cuts nearer than this many pixels to the one before are left out.
    private let thinnestStrip = 1.0 / 2048

    package init(canvas: CanvasSize, output: PixelSize, stripsPerPixel: Int) {
        scaleX = Double(output.width) / canvas.width
        scaleY = Double(output.height) / canvas.height
        self.output = output
        self.stripsPerPixel = stripsPerPixel
    }

    /// The coverage of every pixel that the shape touches; nil when it misses the picture.
    package func coverage(of shape: UnionOfParts) -> Coverage? {
        coverage(of: [placed(shape)], strips: stripsPerPixel)
    }

    /// The area of each pixel that lies in all of some regions; nil when nothing of the picture does.
    func coverage(of regions: [any PlacedRegion], strips: Int = 64) -> Coverage? {
        let bounds = regions.map(\.bounds)
        guard let rect = pixels(in: bounds.dropFirst().reduce(bounds[0]) { common($0, $1) }) else { return nil }
        var values = [Double](repeating: 0, count: rect.area)
        let (top, bottom) = (Double(rect.y), Double(rect.y + rect.height))
        let seen = regions.map { $0.reaching(from: top, to: bottom) }
        let cuts = seen.flatMap(\.cuts).filter { $0 >= top && $0 <= bottom }.sorted()
        var nextCut = 0
        for row in rect.rows {
            var rowCuts: [Double] = []
            while nextCut < cuts.count, cuts[nextCut] < Double(row + 1) {
                rowCuts.append(cuts[nextCut])
                nextCut += 1
            }
            for n in 1...strips { rowCuts.append(Double(row) + Double(n) / Double(strips)) }
            let active = seen.map { $0.reaching(from: Double(row), to: Double(row + 1)) }
            let rowStart = (row - rect.y) * rect.width
            scan(row: row, cuts: rowCuts.sorted(), active, columns: rect.columns, into: &values, at: rowStart)
        }
        return Coverage(rect: rect, values: values)
    }

    /// Adds the area of what regions share in each pixel of one row.
    private func scan(
        row: Int, cuts: [Double], _ regions: [any PlacedRegion], columns: Range<Int>, into values: inout [Double],
        at rowStart: Int
    ) {
        var top = Double(row)
        let end = Double(row + 1)
        for cut in cuts where cut == end || (cut - top >= thinnestStrip && end - cut >= thinnestStrip) {
            var spans = regions[0].spans(top, cut)
            for region in regions.dropFirst() where !spans.isEmpty { spans = common(spans, region.spans(top, cut)) }
            for span in spans {
                add(span, height: cut - top, columns: columns, into: &values, at: rowStart)
            }
            top = cut
        }
    }

    /// What both have at the middle of a strip.
    private func common(_ some: [Span], _ others: [Span]) -> [Span] {
        some.flatMap { a in
            others.compactMap { b -> Span? in
                let left = a.left.middle < b.left.middle ? b.left : a.left
                let right = a.right.middle < b.right.middle ? a.right : b.right
                return left.middle < right.middle ? Span(left: left, right: right) : nil
            }
        }
    }

    private func add(
        _ span: Span, height: Double, columns: Range<Int>, into values: inout [Double], at rowStart: Int
    ) {
        let sides = [span.left.top, span.left.bottom, span.right.top, span.right.bottom]
        let first = max(Double(columns.lowerBound), sides.min()!.rounded(.down))
        let last = min(Double(columns.upperBound), sides.max()!.rounded(.up))
        guard first < last else { return }
        for column in Int(first)..<Int(last) {
            let share = span.left.meanShareToTheRight(column) - span.right.meanShareToTheRight(column)
            values[rowStart + column - columns.lowerBound] += height * share
        }
    }

    /// The pixels of the picture that a box touches; nil when there are none.
    func pixels(in box: Rect) -> PixelRect? {
        func range(_ low: Double, _ high: Double, _ limit: Int) -> Range<Int>? {
            let first = max(low.rounded(.down), 0)
            let last = min(high.rounded(.up), Double(limit))
            return first < last ? Int(first)..<Int(last) : nil
        }
        guard let columns = range(box.minX, box.maxX, output.width),
            let rows = range(box.minY, box.maxY, output.height)
        else { return nil }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private func common(_ a: Rect, _ b: Rect) -> Rect {
        Rect(
            minX: max(a.minX, b.minX), minY: max(a.minY, b.minY), maxX: min(a.maxX, b.maxX),
            maxY: min(a.maxY, b.maxY))
    }

    /// Spec 1: "Geometry is built in canvas space and then scaled by s".
    func place(_ point: Point) -> Point { Point(x: point.x * scaleX, y: point.y * scaleY) }

    func placed(_ shape: UnionOfParts) -> PlacedParts {
        PlacedParts(
            parts: shape.parts.map { part in
                switch part {
                case .disc(let center, let radius):
                    PlacedPart(ellipse: place(center), radiusX: radius * scaleX, radiusY: radius * scaleY)
                case .quad(let a, let b, let c, let d):
                    PlacedPart(corners: [place(a), place(b), place(c), place(d)])
                }
            })
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
