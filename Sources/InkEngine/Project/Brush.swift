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
    /// Opaque; alpha comes from `opacity`.
    public var color: RGBA8
    public var dynamics: BrushDynamics

    public init(
        type: BrushType = .parallelLines, rotation: Double = 0, spacing: Double = 6, opacity: Double = 1,
        scale: Double = 1, lineWidth: Double = 1, color: RGBA8 = .black, dynamics: BrushDynamics = BrushDynamics()
    ) {
        self.type = type
        self.rotation = rotation
        self.spacing = spacing
        self.opacity = opacity
        self.scale = scale
        self.lineWidth = lineWidth
        self.color = color
        self.dynamics = dynamics
    }
}

public enum BrushType: String, Hashable, Sendable, CaseIterable {
    case parallelLines, crossHatch, dots, contourLines, waves, solid
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
