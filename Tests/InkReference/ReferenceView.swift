public import InkEngine

/// Where the world lies in the space in which a picture is drawn (canvas pixels, origin top left).
struct ReferenceView {
    /// Nil: the space is the canvas itself.
    var viewport: Viewport?

    /// Spec 8.5: "a world point p lies at size / 2 + zoom * R(rotation) (p - center), R clockwise".
    func point(_ p: Point) -> Point {
        guard let viewport else { return p }
        // The difference first, as written: far from the origin it is what is small.
        let center = Point(x: viewport.size.width / 2, y: viewport.size.height / 2)
        return center + viewport.zoom * turned(p - viewport.center, degrees: viewport.rotation)
    }

    /// What a difference of two points of the world becomes.
    func vector(_ p: Point) -> Point { zoom * turned(p, degrees: rotation) }

    /// The point of the world that is seen at `p`.
    func worldPoint(_ p: Point) -> Point {
        guard let viewport else { return p }
        let center = Point(x: viewport.size.width / 2, y: viewport.size.height / 2)
        return viewport.center + (1 / viewport.zoom) * turned(p - center, degrees: -viewport.rotation)
    }

    private var zoom: Double { viewport?.zoom ?? 1 }
    private var rotation: Double { viewport?.rotation ?? 0 }

    /// "the exact picture of the world's geometry under that map (lengths, widths, spacings and patterns grow with the zoom
    /// and turn with the rotation ...)"
    func stroke(_ stroke: Stroke) -> Stroke {
        var seen = stroke
        seen.points = stroke.points.map { point in
            let place = self.point(Point(x: point.x, y: point.y))
            var seen = point
            (seen.x, seen.y) = (place.x, place.y)
            return seen
        }
        seen.brush = brush(stroke.brush)
        return seen
    }

    func brush(_ brush: Brush) -> Brush {
        var seen = brush
        // Every length of a brush is a multiple of its scale.
        seen.scale *= zoom
        seen.rotation += rotation
        return seen
    }

    func placement(_ placement: Placement) -> Placement {
        let center = point(
            Point(x: placement.x + placement.width / 2, y: placement.y + placement.height / 2))
        let (width, height) = (zoom * placement.width, zoom * placement.height)
        return Placement(
            x: center.x - width / 2, y: center.y - height / 2, width: width, height: height,
            rotation: placement.rotation + rotation)
    }

    /// Where an image lies in the world; nil where it fills the picture as in 5.5.
    ///
    /// "Through a viewport, images without a placement count as placed on the canvas rectangle, on an infinite canvas at
    /// 0, 0 in their own size".
    func world(_ placement: Placement?, imageSize: PixelSize, project: Project) -> Placement? {
        if let placement { return placement }
        guard viewport != nil else { return nil }
        guard project.isInfinite else {
            return Placement(width: project.canvasSize.width, height: project.canvasSize.height)
        }
        return Placement(width: Double(imageSize.width), height: Double(imageSize.height))
    }
}

extension ReferenceRenderer {
    /// Spec 8.5: "*fit*: the box of the points of visible strokes and the corners of visible pictures, grown on each side by
    /// `--margin` (default 5% of its longer edge, and at least 16 pixels)"; "zoom 1 and rotation 0, its box is not rounded".
    ///
    /// - Parameter margin: canvas pixels; nil for the default.
    /// - Returns: nil where nothing is visible.
    public static func fit(_ project: Project, margin: Double? = nil) -> Viewport? {
        let view = ReferenceView(viewport: Viewport(center: Point(x: 0, y: 0), size: project.canvasSize))
        var points: [Point] = []
        func add(_ image: EncodedImage, _ placement: Placement?) {
            if let placement = view.world(placement, imageSize: image.size, project: project) {
                points += corners(placement)
            }
        }
        func add(_ siblings: [Layer]) {
            for (base, clipped) in drawnElements(siblings) {
                for element in [base] + clipped {
                    let layer = siblings[element]
                    for shape in layer.shapes { points += extremes(shape) }
                    for stroke in layer.strokes { points += stroke.points.map { Point(x: $0.x, y: $0.y) } }
                    if let image = layer.contentImage { add(image, layer.contentPlacement) }
                    add(layer.children)
                }
            }
        }
        add(project.layers)
        if let image = project.baseImage { add(image, nil) }
        guard let left = points.map(\.x).min(), let right = points.map(\.x).max(),
            let top = points.map(\.y).min(), let bottom = points.map(\.y).max()
        else { return nil }
        let (width, height) = (right - left, bottom - top)
        let margin = margin ?? max(0.05 * max(width, height), 16)
        return Viewport(
            center: Point(x: (left + right) / 2, y: (top + bottom) / 2), zoom: 1, rotation: 0,
            size: CanvasSize(width: width + 2 * margin, height: height + 2 * margin))
    }

    /// Spec 9.3: "Fit counts the exact extents of the transformed curves of all `shapes` ..., whatever their mode and opacity,
    /// not those ... of singular ones."
    private static func extremes(_ shape: Shape) -> [Point] {
        guard shape.transform.determinant != 0 else { return [] }
        let map = PlaneMap(point: shape.transform.place, vector: shape.transform.vector)
        return PathSegment.subpaths(of: shape.path, under: map).joined().flatMap { segment in
            let box = segment.extent
            return [Point(x: box.minX, y: box.minY), Point(x: box.maxX, y: box.maxY)]
        }
    }

    /// "degrees clockwise about the rectangle's centre"
    private static func corners(_ placement: Placement) -> [Point] {
        let (right, down) = (placement.width / 2, placement.height / 2)
        let center = Point(x: placement.x + right, y: placement.y + down)
        return [(-right, -down), (right, -down), (right, down), (-right, down)].map { x, y in
            center + turned(Point(x: x, y: y), degrees: placement.rotation)
        }
    }
}
