/// A filled area of a layer or of a mask (spec section 9.1).
public struct Shape: Hashable, Sendable {
    /// In the shape's own coordinates.
    public var path: ShapePath
    /// The id of the entry of the project's symbols that the path comes from; nil for a path of its own.
    public var symbol: String?
    /// From the path's coordinates to the canvas.
    public var transform: AffineMap
    public var rule: FillRule
    public var fill: Paint
    /// 0...1
    public var opacity: Double
    /// Erasing takes away by opacity and coverage, whatever the fill.
    public var mode: StrokeMode
    /// What the shape says, for readers of files that can be searched. Draws nothing.
    public var text: String?
    /// Consecutive shapes of the same value belong to one word or line, whose text the first of them carries.
    public var textOf: String?

    public init(
        path: ShapePath, symbol: String? = nil, transform: AffineMap = .identity, rule: FillRule = .nonzero,
        fill: Paint = .color(.black), opacity: Double = 1, mode: StrokeMode = .paint, text: String? = nil,
        textOf: String? = nil
    ) {
        self.path = path
        self.symbol = symbol
        self.transform = transform
        self.rule = rule
        self.fill = fill
        self.opacity = opacity
        self.mode = mode
        self.text = text
        self.textOf = textOf
    }
}

/// A path that shapes of a project share.
public struct Symbol: Hashable, Sendable {
    /// Unique in the project.
    public var id: String
    public var path: ShapePath

    public init(id: String, path: ShapePath) {
        self.id = id
        self.path = path
    }
}

/// What is inside of a path whose lines cross.
public enum FillRule: String, Hashable, Sendable, CaseIterable {
    case nonzero, evenodd
}

/// What an area is filled with.
public enum Paint: Hashable, Sendable {
    case color(RGBA8)
    case gradient(Gradient)
    /// A pattern that lies still on the canvas, of a type that can lie still (spec section 8.1). Only shapes have it.
    case pattern(Brush)

    /// The colour, if it is one.
    public var color: RGBA8? { if case .color(let color) = self { color } else { nil } }

    /// Whether nothing of it can be seen.
    public var isInvisible: Bool {
        switch self {
        case .color(let color): color.alpha == 0
        case .gradient(let gradient): gradient.stops.allSatisfy { $0.color.alpha == 0 }
        case .pattern(let brush): brush.opacity == 0
        }
    }
}

/// Colours along a line or from a centre (spec section 9.2), in the coordinates of the shape, or of the canvas for an
/// element that is a fill.
public struct Gradient: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case linear(from: Point, to: Point)
        case radial(center: Point, radius: Double)
    }

    public struct Stop: Hashable, Sendable {
        /// 0...1, not smaller than the one before.
        public var offset: Double
        public var color: RGBA8

        public init(offset: Double, color: RGBA8) {
            self.offset = offset
            self.color = color
        }
    }

    public var kind: Kind
    /// At least one.
    public var stops: [Stop]

    /// The most stops of a gradient.
    package static let stopsMax = 256

    public init(kind: Kind, stops: [Stop]) {
        self.kind = kind
        self.stops = stops
    }
}
