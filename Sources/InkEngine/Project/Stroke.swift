/// A hand-drawn line and the brush it was drawn with.
public struct Stroke: Hashable, Sendable {
    public var brush: Brush
    public var mode: StrokeMode
    public var points: [StrokePoint]
    /// How the line runs through the points.
    public var smoothing = Smoothing.uniform
    /// Whether the last point is joined to the first.
    public var isClosed = false

    public init(brush: Brush = Brush(), mode: StrokeMode = .paint, points: [StrokePoint]) {
        self.brush = brush
        self.mode = mode
        self.points = points
    }

    /// Whether only a file of version 1.3 can say this.
    var needsVersion13: Bool { smoothing != .uniform || isClosed || brush.needsVersion13 }
}

/// How a line runs through the points of a stroke (spec section 10.1).
public enum Smoothing: String, Hashable, Sendable, CaseIterable {
    /// Uniform Catmull-Rom.
    case uniform
    /// Centripetal Catmull-Rom, which makes no loops.
    case centripetal
    /// Straight from point to point, corners and all.
    case none
}

/// What a stroke does to its layer.
public enum StrokeMode: String, Hashable, Sendable, CaseIterable {
    /// Source-over.
    case paint
    /// Destination-out: removes the layer's contents.
    case erase
}

/// One sample of the pen.
public struct StrokePoint: Hashable, Sendable {
    /// Canvas pixels.
    public var x: Double
    public var y: Double
    /// 0...1
    public var pressure: Double
    /// As written by the app; does not affect rendering.
    public var timestamp: Double
    /// Degrees; 90 is upright. Does not affect rendering.
    public var altitude: Double
    /// Degrees.
    public var azimuth: Double

    public init(
        x: Double, y: Double, pressure: Double = 1, timestamp: Double = 0, altitude: Double = 90, azimuth: Double = 0
    ) {
        self.x = x
        self.y = y
        self.pressure = pressure
        self.timestamp = timestamp
        self.altitude = altitude
        self.azimuth = azimuth
    }
}
