import InkEngine

/// Shapes of layers and masks (spec 9.1, 9.2, 9.5).
extension TreePainter {
    /// Draws a shape onto premultiplied RGBA.
    func draw(_ shape: Shape, on pixels: inout [Double]) {
        guard let coverage = coverage(of: shape) else { return }
        let color = color(of: shape)
        for y in coverage.rect.rows {
            for x in coverage.rect.columns {
                let covered = min(max(coverage[x, y], 0), 1) * shape.opacity
                guard covered > 0 else { continue }
                let start = (y * output.width + x) * 4
                // "composited source-over in the fill's colour, or, with `"mode": "erase"`, destination-out by opacity and
                // coverage"
                let source = shape.mode == .erase ? [0, 0, 0, 0] : color(x, y).map { $0 * covered }
                let remaining = 1 - (shape.mode == .erase ? covered : source[3])
                for channel in 0..<4 {
                    pixels[start + channel] = pixels[start + channel] * remaining + source[channel]
                }
            }
        }
    }

    /// "The mask's value is the coverage that they leave on nothing, composited in order, `erase` taking away"; one number a
    /// pixel.
    func maskValues(of shapes: [Shape]) -> [Double] {
        var pixels = [Double](repeating: 0, count: output.area * 4)
        for shape in shapes { draw(shape, on: &pixels) }
        return stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] }
    }

    /// Spec 9.1: "the exact area of the pixel inside the shape"; nil where there is none.
    private func coverage(of shape: Shape) -> Coverage? {
        let transform = shape.transform
        // "A singular one draws nothing."
        guard transform.determinant != 0 else { return nil }
        let map = PlaneMap(
            point: { scanner.place(view.point(transform.place($0))) },
            vector: { scanner.place(view.vector(transform.vector($0))) })
        let polygons = PathSegment.subpaths(of: shape.path, under: map).map { segments in
            [segments[0].start] + segments.flatMap { $0.places(tolerance: 1e-4) }
        }
        let outline = Outline(polygons, rule: shape.rule)
        guard case .pattern(let brush) = shape.fill else { return scanner.coverage(of: [outline]) }
        // "the shape covers where both it and the pattern do (the pattern is not moved by `transform`)"
        let margin = outlineMargin * (scanner.scaleX * scanner.scaleY).squareRoot()
        let pattern = scanner.pattern(
            view.brush(brush), origin: view.point(Point(x: 0, y: 0)), bounds: outline.bounds
        ) { outline.contains(scanner.place($0), margin: margin) }
        guard let pattern else { return nil }
        let parts = scanner.placed(pattern.parts)
        return scanner.coverage(of: pattern.isCut ? [parts, outline] : [parts])
    }

    /// The premultiplied colour of a shape's fill at a pixel.
    private func color(of shape: Shape) -> (Int, Int) -> [Double] {
        color(of: shape.fill) { transform(shape.transform, undo: $0) }
    }

    /// The premultiplied colour of a fill at each pixel.
    ///
    /// - Parameter own: from the world to the coordinates of the fill.
    func color(of paint: Paint, own: @escaping (Point) -> Point) -> (Int, Int) -> [Double] {
        func plain(_ color: RGBA8, _ opacity: Double) -> [Double] {
            let alpha = Double(color.alpha) / 255 * opacity
            return [color.red, color.green, color.blue].map { Double($0) / 255 * alpha } + [alpha]
        }
        switch paint {
        case .color(let color):
            let premultiplied = plain(color, 1)
            return { _, _ in premultiplied }
        case .pattern(let brush):
            let premultiplied = plain(brush.color, brush.opacity)
            return { _, _ in premultiplied }
        // "evaluated at the pixel's centre"
        case .gradient(let gradient):
            return { x, y in
                let center = Point(
                    x: (Double(x) + 0.5) / scanner.scaleX, y: (Double(y) + 0.5) / scanner.scaleY)
                return gradientColor(gradient, at: own(view.worldPoint(center)))
            }
        }
    }

    private func transform(_ map: AffineMap, undo p: Point) -> Point {
        let (x, y) = (p.x - map.x, p.y - map.y)
        return Point(
            x: (map.d * x - map.c * y) / map.determinant, y: (map.a * y - map.b * x) / map.determinant)
    }
}

/// Spec 9.1: "x' = a x + c y + e, y' = b x + d y + f".
extension AffineMap {
    var determinant: Double { a * d - b * c }

    func vector(_ p: Point) -> Point { Point(x: a * p.x + c * p.y, y: b * p.x + d * p.y) }

    func place(_ p: Point) -> Point { vector(p) + Point(x: x, y: y) }
}
