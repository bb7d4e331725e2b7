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
    /// How many lines parallelLines, each set of crossHatch, waves and contourLines have; odd. Patterns that lie still
    /// have as many as fit.
    public var lines = 7
    /// The radius of dots, before `scale`; above 0.
    public var dotRadius = 2.0
    /// The length of a wave, before `scale`.
    public var waveLength = 10.0
    /// What happens to dots of a pattern that lies still at the border of what uncovers it.
    public var edge = PatternEdge.cut
    /// The distance between stamps, before `scale`; nil: `spacing`.
    public var stampSpacing: Double?
    /// Whether stamps turn with the direction of the stroke.
    public var followsPath = false
    /// How contour lines end.
    public var caps = LineCaps.butt
    /// What the pattern is tied to; counts for parallelLines, crossHatch, dots and waves.
    public var anchor: BrushAnchor
    /// Diameter of what a stroke uncovers of a pattern that is tied to the canvas, before `scale`; above 0.
    public var size: Double
    /// Opaque; alpha comes from `opacity`.
    public var color: RGBA8
    public var dynamics: BrushDynamics

    /// The distance between stamps along the stroke, in canvas pixels.
    package var stampDistance: Double { (stampSpacing ?? spacing) * scale }

    /// Whether the stamps of a stroke may differ in size or direction.
    var mayChangeStamps: Bool { followsPath || dynamics.pressureAffectsSize || dynamics.tiltAffectsRotation }

    /// The diameter of a brush that has none of its own.
    public static let defaultSize = 20.0

    public init(
        type: BrushType = .parallelLines, rotation: Double = 0, spacing: Double = 6, opacity: Double = 1,
        scale: Double = 1, lineWidth: Double = 1, anchor: BrushAnchor = .stamp, size: Double = defaultSize,
        color: RGBA8 = .black, dynamics: BrushDynamics? = nil
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
        self.dynamics = dynamics ?? .standard(type, anchor)
    }

    /// Whether only a file of version 1.3 can say this.
    package var needsVersion13: Bool {
        let standard = Brush()
        return lines != standard.lines || dotRadius != standard.dotRadius || waveLength != standard.waveLength
            || edge != standard.edge || stampSpacing != nil || followsPath || caps != standard.caps
            || dynamics.minimumSize != standard.dynamics.minimumSize
            || dynamics.minimumOpacity != standard.dynamics.minimumOpacity
    }
}

/// What happens to dots of a pattern that lies still at the border of what uncovers it (spec section 10.4).
public enum PatternEdge: String, Hashable, Sendable, CaseIterable {
    /// The border cuts them.
    case cut
    /// Those whose centres are inside are drawn whole, the others not at all.
    case whole
}

/// How contour lines end (spec section 10.2).
public enum LineCaps: String, Hashable, Sendable, CaseIterable {
    /// At the ends of the stroke.
    case butt
    /// They go round the ends.
    case round
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
    /// The size without pressure, 0...1, where pressure counts for it.
    public var minimumSize: Double
    /// The share of the opacity without pressure, 0...1, where pressure counts for it.
    public var minimumOpacity: Double

    public init(
        pressureAffectsOpacity: Bool = true, pressureAffectsSize: Bool = false, tiltAffectsRotation: Bool = false,
        minimumSize: Double = 0.5, minimumOpacity: Double = 0
    ) {
        self.pressureAffectsOpacity = pressureAffectsOpacity
        self.pressureAffectsSize = pressureAffectsSize
        self.tiltAffectsRotation = tiltAffectsRotation
        self.minimumSize = minimumSize
        self.minimumOpacity = minimumOpacity
    }

    /// Those of a brush that says nothing of them (spec section 10.3).
    public static func standard(_ type: BrushType, _ anchor: BrushAnchor = .stamp) -> BrushDynamics {
        BrushDynamics(pressureAffectsOpacity: type != .solid && !(anchor == .canvas && type.canLieStill))
    }

    /// The factor of lengths at a pressure.
    @inlinable
    package func size(_ pressure: Double) -> Double {
        pressureAffectsSize ? minimumSize + (1 - minimumSize) * pressure : 1
    }

    /// The factor of the opacity at a pressure.
    @inlinable
    package func opacity(_ pressure: Double) -> Double {
        pressureAffectsOpacity ? minimumOpacity + (1 - minimumOpacity) * pressure : 1
    }
}
