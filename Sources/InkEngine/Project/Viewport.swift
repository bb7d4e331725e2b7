/// A part of the world that a picture shows: a world point p lies at size / 2 + zoom * R(rotation) (p - center), R
/// clockwise (spec section 8.5).
public struct Viewport: Hashable, Sendable {
    /// Empty when it has none.
    public var name: String
    /// World coordinates.
    public var center: Point
    /// Canvas pixels in a unit of the world.
    public var zoom: Double
    /// Degrees, clockwise.
    public var rotation: Double
    /// Canvas pixels.
    public var size: CanvasSize

    public init(name: String = "", center: Point, zoom: Double = 1, rotation: Double = 0, size: CanvasSize) {
        self.name = name
        self.center = center
        self.zoom = zoom
        self.rotation = rotation
        self.size = size
    }

    /// The placement in the world that the viewport shows upright at this place of its canvas.
    public func world(_ shown: Placement) -> Placement {
        let (sine, cosine) = sinCos(degrees: -rotation)
        let (x, y) = (shown.center.x - size.width / 2, shown.center.y - size.height / 2)
        let (width, height) = (shown.width / zoom, shown.height / zoom)
        return Placement(
            x: center.x + (cosine * x - sine * y) / zoom - width / 2,
            y: center.y + (sine * x + cosine * y) / zoom - height / 2, width: width, height: height,
            rotation: shown.rotation - rotation)
    }

    /// What zooms are read: within, coordinates and lengths of any project stay numbers.
    public static let zooms = 1e-9...1e9
}

/// The map of a viewport, from the world to canvas pixels.
public struct ViewMap: Sendable {
    private let viewport: Viewport
    private let cosine: Double
    private let sine: Double

    public init(_ viewport: Viewport) {
        self.viewport = viewport
        (sine, cosine) = sinCos(degrees: viewport.rotation)
    }

    public func point(_ p: Point) -> Point {
        // The difference first: it is small for what is seen, however far from the origin that lies.
        let (x, y) = (p.x - viewport.center.x, p.y - viewport.center.y)
        return Point(
            x: viewport.size.width / 2 + viewport.zoom * (cosine * x - sine * y),
            y: viewport.size.height / 2 + viewport.zoom * (sine * x + cosine * y))
    }

    /// A box that holds what a box of the world becomes.
    public func box(_ box: Rect) -> Rect {
        guard !box.isEmpty else { return box }
        var mapped = Rect.empty
        for x in [box.minX, box.maxX] {
            for y in [box.minY, box.maxY] { mapped.formUnion(point(Point(x: x, y: y))) }
        }
        return mapped
    }

    /// A length of the world in canvas pixels.
    public func length(_ length: Double) -> Double { viewport.zoom * length }

    public func brush(_ brush: Brush) -> Brush {
        var mapped = brush
        mapped.scale *= viewport.zoom
        mapped.rotation += viewport.rotation
        return mapped
    }

    public func stroke(_ stroke: Stroke) -> Stroke {
        var mapped = stroke
        mapped.brush = brush(stroke.brush)
        for index in mapped.points.indices {
            let place = point(Point(x: stroke.points[index].x, y: stroke.points[index].y))
            mapped.points[index].x = place.x
            mapped.points[index].y = place.y
        }
        return mapped
    }

    public func shape(_ shape: Shape) -> Shape {
        var mapped = shape
        let (a, b) = (viewport.zoom * cosine, viewport.zoom * sine)
        let map = shape.transform
        mapped.transform = AffineMap(a: a, b: b, c: -b, d: a).after(map)
        let origin = point(Point(x: map.x, y: map.y))
        (mapped.transform.x, mapped.transform.y) = (origin.x, origin.y)
        if case .pattern(let brush) = shape.fill { mapped.fill = .pattern(self.brush(brush)) }
        return mapped
    }

    /// A paint in the world's coordinates: that of an element that is a fill.
    public func paint(_ paint: Paint) -> Paint {
        switch paint {
        case .color: return paint
        case .pattern(let brush): return .pattern(self.brush(brush))
        case .gradient(var gradient):
            switch gradient.kind {
            case .linear(let from, let to): gradient.kind = .linear(from: point(from), to: point(to))
            case .radial(let center, let radius):
                gradient.kind = .radial(center: point(center), radius: length(radius))
            }
            return .gradient(gradient)
        }
    }

    public func placement(_ placement: Placement) -> Placement {
        let center = point(placement.center)
        let (width, height) = (length(placement.width), length(placement.height))
        return Placement(
            x: center.x - width / 2, y: center.y - height / 2, width: width, height: height,
            rotation: placement.rotation + viewport.rotation)
    }
}
