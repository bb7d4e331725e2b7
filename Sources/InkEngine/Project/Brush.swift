/// The appearance of a stroke. Lengths are in canvas pixels, angles in degrees.
public struct Brush: Hashable, Sendable {
    public var type: BrushType
    /// Degrees.
    public var rotation: Double
    /// Distance between stamps and between the lines of a stamp, before `scale`; above 0.
    public var spacing: Double
    /// 0...1
    public var opacity: Double
    /// Above 0.
    public var scale: Double
    /// Before `scale`; above 0.
    public var lineWidth: Double
    /// What the pattern is tied to; counts for parallelLines, crossHatch, dots and waves.
    public var anchor: BrushAnchor
    /// Diameter of what a stroke uncovers of a pattern that is tied to the canvas, before `scale`; above 0.
    public var size: Double
    /// Opaque; alpha comes from `opacity`.
    public var color: RGBA8
    public var dynamics: BrushDynamics

    /// The diameter of a brush that has none of its own.
    public static let defaultSize = 20.0

    public init(
        type: BrushType = .parallelLines, rotation: Double = 0, spacing: Double = 6, opacity: Double = 1,
        scale: Double = 1, lineWidth: Double = 1, anchor: BrushAnchor = .stamp, size: Double = defaultSize,
        color: RGBA8 = .black, dynamics: BrushDynamics = BrushDynamics()
    ) {
        self.type = type
        self.rotation = rotation
        self.spacing = spacing
        self.opacity = opacity
        self.scale = scale
        self.lineWidth = lineWidth
        self.anchor = anchor
        self.size = size
        self.color = color
        self.dynamics = dynamics
    }
}

/// The pattern that a brush draws.
public enum BrushType: String, Hashable, Sendable, CaseIterable {
    case parallelLines, crossHatch, dots, contourLines, waves, solid
}

/// What a brush's pattern is tied to.
public enum BrushAnchor: String, Hashable, Sendable, CaseIterable {
    /// Stamps along the stroke carry it.
    case stamp
    /// It lies still; the stroke uncovers it.
    case canvas
}

/// The effects of the pen's pressure and tilt.
public struct BrushDynamics: Hashable, Sendable {
    public var pressureAffectsOpacity: Bool
    public var pressureAffectsSize: Bool
    public var tiltAffectsRotation: Bool

    /// Whether the stamps of a stroke may differ in size or direction.
    var mayChangeStamps: Bool { pressureAffectsSize || tiltAffectsRotation }

    public init(
        pressureAffectsOpacity: Bool = true, pressureAffectsSize: Bool = false, tiltAffectsRotation: Bool = false
    ) {
        self.pressureAffectsOpacity = pressureAffectsOpacity
        self.pressureAffectsSize = pressureAffectsSize
        self.tiltAffectsRotation = tiltAffectsRotation
    }
}
