import InkEngine

/// A filled area of a picture, in the words that vector formats have for it.
struct VectorShape {
    enum Fill {
        case color(RGBA8, alpha: Double)
        case gradient(VectorGradient, alpha: Double)
        /// A pattern that lies still on the picture's canvas.
        case pattern(Brush, alpha: Double)
    }

    /// In the shape's own coordinates.
    var path: ShapePath
    /// The id of the symbol that the path is.
    var symbol: String?
    /// To the picture's canvas.
    var map: AffineMap
    var rule: FillRule
    var fill: Fill

    /// The path on the picture's canvas.
    var placed: ShapePath { path.mapped(map) }

    /// - Parameter color: in place of the fill's; nil: the fill's own.
    init(_ shape: Shape, color: RGBA8? = nil, scene: VectorScene) {
        path = shape.path
        symbol = shape.symbol
        map = scene.map(shape.transform)
        rule = shape.rule
        let paint = shape.mode == .erase ? shape.fill.erasing : shape.fill
        fill = Fill(paint, color: color, opacity: shape.opacity, map: map, scene: scene)
    }

    /// All of the picture.
    init(filling paint: Paint, color: RGBA8? = nil, scene: VectorScene) {
        path = ShapePath(Rect(minX: 0, minY: 0, maxX: scene.canvas.width, maxY: scene.canvas.height))
        map = .identity
        rule = .nonzero
        fill = Fill(paint, color: color, opacity: 1, map: scene.map(.identity), scene: scene)
    }

    /// A box that holds the shape, in canvas pixels.
    var box: Rect {
        let box = placed.controlBox
        guard case .pattern(let brush, _) = fill else { return box }
        return box.expanded(by: brush.wholeDotRadius)
    }

    /// Whether it draws nothing.
    var isEmpty: Bool {
        if path.isEmpty || !map.isFinite || map.a * map.d - map.b * map.c == 0 { return true }
        return switch fill {
        case .color(_, let alpha), .gradient(_, let alpha), .pattern(_, let alpha): alpha == 0
        }
    }
}

extension Paint {
    /// What erases where this paints: its coverage counts, and not its colours.
    fileprivate var erasing: Paint {
        guard case .pattern(let brush) = self else { return .color(.black) }
        return .pattern(brush.erasing)
    }
}

extension Brush {
    /// The brush whose pattern takes away in black what this one's covers.
    var erasing: Brush {
        var brush = self
        (brush.color, brush.opacity) = (.black, 1)
        return brush
    }
}

extension VectorShape.Fill {
    /// Whether nothing can be seen of what lies below.
    var isOpaque: Bool {
        switch self {
        case .color(_, let alpha): alpha == 1
        case .gradient(let gradient, let alpha): alpha == 1 && gradient.isOpaque
        case .pattern: false
        }
    }

    fileprivate init(_ paint: Paint, color: RGBA8?, opacity: Double, map: AffineMap, scene: VectorScene) {
        switch paint {
        case .color(let own): self = .color(color ?? own, alpha: opacity * Double(own.alpha) / 255)
        case .gradient(let own):
            let gradient = VectorGradient(own, color: color, map: map)
            if let last = gradient.onlyColor {
                self = .color(last, alpha: opacity * Double(last.alpha) / 255)
            } else {
                self = .gradient(gradient, alpha: opacity)
            }
        case .pattern(let own):
            var brush = scene.view?.brush(own) ?? own
            brush.anchor = .canvas
            if let color { brush.color = color }
            self = .pattern(brush, alpha: opacity * own.opacity)
        }
    }
}

/// A gradient whose stops formats that do not premultiply colours show as they should be.
struct VectorGradient: Hashable {
    var kind: Gradient.Kind
    /// In ascending order of their offsets, at least one.
    var stops: [Gradient.Stop]
    /// From the gradient's coordinates to the picture's canvas.
    var map: AffineMap

    /// Parts that a range is divided into where both colour and alpha change.
    private static let parts = 16

    init(_ gradient: Gradient, color: RGBA8?, map: AffineMap) {
        kind = gradient.kind
        self.map = map
        var own = gradient.stops
        for index in own.indices {
            let offset = min(max(own[index].offset, index > 0 ? own[index - 1].offset : 0), 1)
            // As fine as files have it, so that stops coincide for all readers or for none.
            own[index].offset = (offset * 1e6).rounded() / 1e6
            if let color { own[index].color = color.with(alpha: own[index].color.alpha) }
        }
        stops = []
        for (stop, next) in zip(own, own.dropFirst()) {
            stops.append(stop)
            let (from, to) = (stop.color, next.color)
            guard from.alpha != to.alpha, from.with(alpha: 0) != to.with(alpha: 0), stop.offset < next.offset else {
                continue
            }
            // A colour that cannot be seen is that of the other end.
            if from.alpha == 0 { stops.append(Gradient.Stop(offset: stop.offset, color: to.with(alpha: 0))) }
            if from.alpha > 0, to.alpha > 0 {
                for part in 1..<VectorGradient.parts {
                    let t = Double(part) / Double(VectorGradient.parts)
                    stops.append(
                        Gradient.Stop(
                            offset: stop.offset + t * (next.offset - stop.offset), color: from.mixed(with: to, t)))
                }
            }
            if to.alpha == 0 { stops.append(Gradient.Stop(offset: next.offset, color: from.with(alpha: 0))) }
        }
        if let last = own.last { stops.append(last) }
    }

    var isOpaque: Bool { stops.allSatisfy { $0.color.alpha == 255 } }

    /// The colour of a gradient that has no extent, or one stop.
    var onlyColor: RGBA8? {
        let isFlat =
            switch kind {
            case .linear(let from, let to): from == to
            case .radial(_, let radius): radius == 0
            }
        return isFlat || stops.count == 1 ? stops.last?.color : nil
    }
}

extension RGBA8 {
    fileprivate func with(alpha: UInt8) -> RGBA8 {
        var color = self
        color.alpha = alpha
        return color
    }

    /// The colour between two, premultiplied as they are mixed.
    fileprivate func mixed(with other: RGBA8, _ t: Double) -> RGBA8 {
        let (own, next) = (Double(alpha) * (1 - t), Double(other.alpha) * t)
        func level(_ a: UInt8, _ b: UInt8) -> UInt8 {
            UInt8(min(max(((Double(a) * own + Double(b) * next) / (own + next)).rounded(), 0), 255))
        }
        return RGBA8(
            red: level(red, other.red), green: level(green, other.green), blue: level(blue, other.blue),
            alpha: UInt8((own + next).rounded()))
    }
}

/// What shapes say, where it can be searched and copied although nobody sees it.
struct VectorText {
    var text: String
    /// Where the baseline begins, in canvas pixels.
    var origin: Point
    /// The direction of reading, a unit vector.
    var along: Point
    /// The length of the line, in canvas pixels.
    var length: Double
    /// The size of the font, in canvas pixels.
    var size: Double
    /// A box that holds the shapes, in canvas pixels.
    private(set) var box = Rect.empty

    /// The share of a line's height that lies below the baseline.
    private static let descent = 0.2

    /// The texts of shapes in order, each over all shapes that it belongs to.
    static func all(_ shapes: [Shape], scene: VectorScene) -> [VectorText] {
        var texts: [VectorText] = []
        var index = 0
        while index < shapes.count {
            let first = shapes[index]
            var end = index + 1
            while end < shapes.count, let word = first.textOf, shapes[end].textOf == word { end += 1 }
            if let text = VectorText(first.text ?? "", over: shapes[index..<end], scene: scene) { texts.append(text) }
            index = end
        }
        return texts
    }

    private init?(_ text: String, over shapes: ArraySlice<Shape>, scene: VectorScene) {
        self.text = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        guard let first = shapes.first, text.contains(where: { !$0.isWhitespace }) else { return nil }
        let map = scene.map(first.transform)
        let way = Point(x: map.a, y: map.b)
        guard way.length > 0, way.length.isFinite else { return nil }
        along = (1 / way.length) * way
        var turned = Rect.empty
        for shape in shapes {
            let own = shape.path.mapped(scene.map(shape.transform))
            box.formUnion(own.controlBox)
            // Into the coordinates along and across the line.
            turned.formUnion(
                own.mapped(AffineMap(a: along.x, b: -along.y, c: along.y, d: along.x)).controlBox)
        }
        (length, size) = (turned.maxX - turned.minX, turned.maxY - turned.minY)
        guard length > 0, size > 0, length.isFinite, size.isFinite else { return nil }
        let baseline = turned.maxY - VectorText.descent * size
        origin = turned.minX * along + baseline * Point(x: -along.y, y: along.x)
    }
}

/// A symbol as it is defined in a file.
struct VectorSymbol: Hashable {
    var id: String
    /// Digits behind the point of its coordinates.
    var decimals: Int
    /// How far its curves may be from what they stand for, in its own unit.
    var tolerance: Double
}

extension VectorScene {
    /// Likewise, in canvas pixels.
    var curveTolerance: Double { VectorScene.curveTolerancePixels / scale.largest }

    /// The definition that a shape can use; nil if its path is better written where it lies.
    func symbol(of shape: VectorShape) -> VectorSymbol? {
        guard let id = shape.symbol else { return nil }
        let (along, across) = (Point(x: shape.map.a, y: shape.map.b), Point(x: shape.map.c, y: shape.map.d))
        let largest = max(along.length, across.length)
        var (decimals, step) = (decimals, 1.0)
        while decimals < 12, step < largest { (decimals, step) = (decimals + 1, step * 10) }
        while decimals > 0, step > 10 * largest { (decimals, step) = (decimals - 1, step / 10) }
        let box = shape.path.controlBox
        let reach = [box.minX, box.minY, box.maxX, box.maxY].map(abs).max() ?? 0
        // More digits than readers have.
        guard step >= largest, reach < 1e6, (0..<decimals).reduce(reach, { value, _ in value * 10 }) < 1e12 else {
            return nil
        }
        return VectorSymbol(id: id, decimals: decimals, tolerance: curveTolerance / step)
    }

    /// A map into the world, as one onto the picture's canvas.
    func map(_ own: AffineMap) -> AffineMap {
        guard let view, let viewport = picture.viewport else { return own }
        let turn = sinCos(degrees: viewport.rotation)
        let (cosine, sine) = (viewport.zoom * turn.cos, viewport.zoom * turn.sin)
        let corner = view.point(Point(x: own.x, y: own.y))
        return AffineMap(
            a: cosine * own.a - sine * own.b, b: sine * own.a + cosine * own.b, c: cosine * own.c - sine * own.d,
            d: sine * own.c + cosine * own.d, x: corner.x, y: corner.y)
    }
}

extension ShapePath {
    init(_ box: Rect) {
        self.init()
        move(to: Point(x: box.minX, y: box.minY))
        line(to: Point(x: box.maxX, y: box.minY))
        line(to: Point(x: box.maxX, y: box.maxY))
        line(to: Point(x: box.minX, y: box.maxY))
        close()
    }

    /// A box that holds the path.
    var controlBox: Rect {
        var box = Rect.empty
        var first = 0
        for verb in verbs {
            let own = points[first..<(first + verb.pointCount)]
            if case .arc = verb {
                let (center, u, v) = (own[first], own[first + 1], own[first + 2])
                let reach = Point(x: abs(u.x) + abs(v.x), y: abs(u.y) + abs(v.y))
                box.formUnion(center - reach)
                box.formUnion(center + reach)
                box.formUnion(own[first + 4])
            } else {
                for point in own { box.formUnion(point) }
            }
            first += verb.pointCount
        }
        return box
    }

    /// - Parameter tolerance: how far arcs may be from what is written, in the path's unit.
    func write(to text: inout some VectorPathText, tolerance: Double) {
        var first = 0
        for verb in verbs {
            let own = Array(points[first..<(first + verb.pointCount)])
            first += verb.pointCount
            switch verb {
            case .move: text.move(to: own[0])
            case .line: text.line(to: own[0])
            case .quadratic: text.quadratic(own[0], to: own[1])
            case .cubic: text.cubic(own[0], own[1], to: own[2])
            case .arc: ShapePath.write(arc: own, to: &text, tolerance: tolerance)
            case .close: text.close()
            }
        }
    }

    /// - Parameter arc: the points of the verb.
    private static func write(arc: [Point], to text: inout some VectorPathText, tolerance: Double) {
        let (center, u, v) = (arc[0], arc[1], arc[2])
        let (start, sweep) = (arc[3].x * 180 / Double.pi, arc[3].y * 180 / Double.pi)
        // A quarter of a circle of radius 1 is off by 0.00028 as one cubic, and the error falls with the sixth power.
        let error = 0.000_28 * max(u.length, v.length) / tolerance
        var count = max((abs(sweep) / 90).rounded(.up), 1)
        while count < 256 {
            let share = abs(sweep) / 90 / count
            if error * share * share * share * share * share * share <= 1 { break }
            count += 1
        }
        let step = sweep / count
        let quarter = sinCos(degrees: step / 4)
        // 4/3 tan(step / 4)
        let handle = quarter.cos == 0 ? 0 : 4.0 / 3 * quarter.sin / quarter.cos
        func place(_ degrees: Double) -> (point: Point, way: Point) {
            let turn = sinCos(degrees: degrees)
            return (center + turn.cos * u + turn.sin * v, turn.cos * v - turn.sin * u)
        }
        var last = place(start)
        for index in 1...Int(count) {
            let next = place(start + Double(index) * step)
            let end = index == Int(count) ? arc[4] : next.point
            text.cubic(last.point + handle * last.way, next.point - handle * next.way, to: end)
            last = next
        }
    }
}
