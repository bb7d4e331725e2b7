import InkEngine

/// The outlines of tldraw's shapes, the closed one first, then lines inside of it.
struct TldrawOutline {
    var width: Double
    var height: Double
    var lineWidth: Double
    /// Whether lines wobble.
    var isInky: Bool
    /// How far apart the bumps of a cloud are.
    var bump: Double
    var scale: Double
    var seed: String

    func pieces(_ kind: String) -> [TldrawInk.Piece] {
        let most = Limits.worldCoordinate
        let (w, h) = (min(max(width, 1), most), min(max(height, 1), most))
        let slant = 0.38 * min(w, h)
        func closed(_ corners: [(Double, Double)]) -> TldrawInk.Piece {
            TldrawInk.Piece(corners.map { Point(x: $0.0, y: $0.1) }, isClosed: true)
        }
        func open(_ points: [(Double, Double)], keepsEnds: Bool = false) -> TldrawInk.Piece {
            TldrawInk.Piece(points.map { Point(x: $0.0, y: $0.1) }, isClosed: false, keepsEnds: keepsEnds)
        }
        let box = closed([(0, 0), (w, 0), (w, h), (0, h)])
        switch kind {
        case "ellipse": return [oval(w, h)]
        case "oval": return [stadium(w, h)]
        case "cloud": return [TldrawInk.cloud(width: w, height: h, bump: bump, scale: scale, seed: seed)]
        case "heart": return [heart(w, h)]
        case "triangle": return [closed([(w / 2, 0), (w, h), (0, h)])]
        case "diamond": return [closed([(w / 2, 0), (w, h / 2), (w / 2, h), (0, h / 2)])]
        case "pentagon": return [regular(5, w, h)]
        case "hexagon": return [regular(6, w, h)]
        case "octagon": return [regular(8, w, h)]
        case "star": return [regular(5, w, h, inner: 0.5)]
        case "rhombus": return [closed([(slant, 0), (w, 0), (w - slant, h), (0, h)])]
        case "rhombus-2": return [closed([(0, 0), (w - slant, 0), (w, h), (slant, h)])]
        case "trapezoid": return [closed([(slant, 0), (w - slant, 0), (w, h), (0, h)])]
        case "x-box":
            let inset = isInky ? min(0.62 * lineWidth, w, h) : 0
            return [
                box, open([(inset, inset), (w - inset, h - inset)]), open([(w - inset, inset), (inset, h - inset)]),
            ]
        case "check-box":
            let size = 0.82 * min(w, h)
            let (x, y) = ((w - size) / 2, (h - size) / 2)
            let check = [(0.25, 0.52), (0.45, 0.82), (0.82, 0.22)].map { (x + $0.0 * size, y + $0.1 * size) }
            return [box, open(check, keepsEnds: true)]
        case "arrow-right", "arrow-left":
            let (near, head) = (0.16 * h, w - slant)
            let corners = [(0, near), (head, near), (head, 0), (w, h / 2), (head, h), (head, h - near), (0, h - near)]
            return [closed(kind == "arrow-right" ? corners : corners.map { (w - $0.0, $0.1) })]
        case "arrow-up", "arrow-down":
            let (near, head) = (0.16 * w, h - slant)
            let corners = [(near, 0), (w - near, 0), (w - near, head), (w, head), (w / 2, h), (0, head), (near, head)]
            return [closed(kind == "arrow-down" ? corners : corners.map { ($0.0, h - $0.1) })]
        default: return [box]
        }
    }

    /// A polygon of equal sides before it is stretched to the box; with `inner`, a star.
    private func regular(_ count: Int, _ w: Double, _ h: Double, inner: Double? = nil) -> TldrawInk.Piece {
        var points: [Point] = []
        for step in 0..<count {
            for (index, radius) in [1.0, inner].compactMap({ $0 }).enumerated() {
                let (sine, cosine) = sinCos(degrees: 360 / Double(count) * (Double(step) + 0.5 * Double(index)) - 90)
                points.append(Point(x: radius * cosine, y: radius * sine))
            }
        }
        var box = Rect.empty
        for point in points { box.formUnion(point) }
        return TldrawInk.Piece(
            points.map {
                Point(
                    x: ($0.x - box.minX) / (box.maxX - box.minX) * w, y: ($0.y - box.minY) / (box.maxY - box.minY) * h)
            }, isClosed: true)
    }

    /// What the handle of a curve of a quarter of a circle is of its radius.
    private static let quarter = 0.5522847498307936

    /// Quarters of an ellipse that go clockwise from an angle, degrees.
    private func quarters(
        _ count: Int, from degrees: Double, center: Point, _ rx: Double, _ ry: Double
    ) -> [RoughSketch.Step] {
        (0..<count).map { index in
            func place(_ degrees: Double) -> (on: Point, along: Point) {
                let (sine, cosine) = sinCos(degrees: degrees)
                return (
                    Point(x: center.x + rx * cosine, y: center.y + ry * sine),
                    Point(x: -Self.quarter * rx * sine, y: Self.quarter * ry * cosine)
                )
            }
            let (a, b) = (place(degrees + 90 * Double(index)), place(degrees + 90 * Double(index + 1)))
            return .curve(a.on + a.along, b.on - b.along, b.on)
        }
    }

    private func oval(_ w: Double, _ h: Double) -> TldrawInk.Piece {
        let center = Point(x: w / 2, y: h / 2)
        return TldrawInk.Piece(
            [.move(Point(x: 0, y: h / 2))] + quarters(4, from: 180, center: center, w / 2, h / 2), isClosed: true)
    }

    private func stadium(_ w: Double, _ h: Double) -> TldrawInk.Piece {
        let r = min(w, h) / 2
        let steps: [RoughSketch.Step] =
            h > w
            ? [.move(Point(x: 0, y: r))] + quarters(2, from: 180, center: Point(x: r, y: r), r, r)
                + [.line(Point(x: w, y: h - r))] + quarters(2, from: 0, center: Point(x: r, y: h - r), r, r)
            : [.move(Point(x: r, y: h))] + quarters(2, from: 90, center: Point(x: r, y: r), r, r)
                + [.line(Point(x: w - r, y: 0))] + quarters(2, from: -90, center: Point(x: w - r, y: r), r, r)
        return TldrawInk.Piece(steps, isClosed: true)
    }

    private func heart(_ w: Double, _ h: Double) -> TldrawInk.Piece {
        func at(_ x: Double, _ y: Double) -> Point { Point(x: x * w / 4, y: y * h / 4) }
        return TldrawInk.Piece(
            [
                .move(at(2, 4)), .curve(at(1.5, 3), at(0, 2.5), at(0, 1.2)),
                .curve(at(0, -0.32), at(1.85, -0.32), at(2, 0.9)), .curve(at(2.15, -0.32), at(4, -0.32), at(4, 1.2)),
                .curve(at(4, 2.5), at(2.5, 3), at(2, 4)),
            ], isClosed: true)
    }
}
