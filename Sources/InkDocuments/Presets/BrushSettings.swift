import InkEngine

/// What a JSON object says of a brush: every key is optional. A stroke's settings override its preset's, and those
/// the format's defaults.
struct BrushSettings: Hashable {
    var type: BrushType?
    var rotation: Double?
    var spacing: Double?
    var opacity: Double?
    var scale: Double?
    var lineWidth: Double?
    var lines: Int?
    var dotRadius: Double?
    var waveLength: Double?
    var edge: PatternEdge?
    var stampSpacing: Double?
    var followsPath: Bool?
    var caps: LineCaps?
    var anchor: BrushAnchor?
    var size: Double?
    var color: RGBA8?
    var pressureAffectsOpacity: Bool?
    var pressureAffectsSize: Bool?
    var tiltAffectsRotation: Bool?
    var minimumSize: Double?
    var minimumOpacity: Double?

    init() {}

    /// Reads the keys of a stroke's `brush` or of a preset's `defaults`.
    ///
    /// - Parameter owner: what to name in an error about an unknown type: `layer "Sky"`.
    init(_ object: JSONObject, owner: @autoclosure () -> String, limits: Limits) throws(EngineError) {
        type = try object.brushType("type", owner: owner())
        try readMarks(object, limits)
        opacity = try object.fraction("opacity")
        lines = try object.lineCount("lines")
        stampSpacing = try object.length("stampSpacing", limits: limits)
        followsPath = try object.bool("followsPath")
        caps = try object.named("caps")
        anchor = try object.named("anchor")
        size = try object.length("size", limits: limits)
        color = try object.opaqueColor("color")
        if let dynamics = try object.object("dynamics") { try readDynamics(dynamics) }
    }

    /// Reads the pattern that a shape is filled with, whose key `brush` is the type.
    init(pattern object: JSONObject, limits: Limits) throws(EngineError) {
        type = try object.brushType("brush", owner: "a pattern")
        try readMarks(object, limits)
        // A brush has its alpha in its opacity.
        guard let text = try object.string("color") else { return }
        guard text != "transparent", var color = RGBA8(hex: text) else {
            try object.refuse(
                object.error("color", "\"\(shownText(text))\" is not #rgb, #rrggbb or #rrggbbaa"))
            return
        }
        opacity = Double(color.alpha) / 255
        color.alpha = 255
        self.color = color
    }

    /// Reads what a pattern has wherever it is drawn.
    private mutating func readMarks(_ object: JSONObject, _ limits: Limits) throws(EngineError) {
        rotation = try object.number("rotation")
        spacing = try object.length("spacing", limits: limits)
        scale = try object.length("scale", limits: limits)
        lineWidth = try object.length("lineWidth", limits: limits)
        dotRadius = try object.length("dotRadius", limits: limits)
        waveLength = try object.waveLength("waveLength", limits: limits)
        edge = try object.named("edge")
    }

    mutating func readDynamics(_ object: JSONObject) throws(EngineError) {
        pressureAffectsOpacity = try object.bool("pressureAffectsOpacity")
        pressureAffectsSize = try object.bool("pressureAffectsSize")
        tiltAffectsRotation = try object.bool("tiltAffectsRotation")
        minimumSize = try object.fraction("minimumSize")
        minimumOpacity = try object.fraction("minimumOpacity")
    }

    /// A brush with settings: later ones override earlier ones, and these the format's defaults, which depend on the
    /// type and anchor that result.
    static func brush(of settings: [BrushSettings]) -> Brush {
        var brush = Brush()
        for own in settings { own.apply(to: &brush) }
        if !settings.contains(where: { $0.pressureAffectsOpacity != nil }) {
            let standard = BrushDynamics.standard(brush.type, brush.anchor)
            brush.dynamics.pressureAffectsOpacity = standard.pressureAffectsOpacity
        }
        return brush
    }

    /// Replaces what is set here in a brush.
    private func apply(to brush: inout Brush) {
        if let type { brush.type = type }
        if let rotation { brush.rotation = rotation }
        if let spacing { brush.spacing = spacing }
        if let opacity { brush.opacity = opacity }
        if let scale { brush.scale = scale }
        if let lineWidth { brush.lineWidth = lineWidth }
        if let lines { brush.lines = lines }
        if let dotRadius { brush.dotRadius = dotRadius }
        if let waveLength { brush.waveLength = waveLength }
        if let edge { brush.edge = edge }
        if let stampSpacing { brush.stampSpacing = stampSpacing }
        if let followsPath { brush.followsPath = followsPath }
        if let caps { brush.caps = caps }
        if let anchor { brush.anchor = anchor }
        if let size { brush.size = size }
        if let color { brush.color = color }
        if let pressureAffectsOpacity { brush.dynamics.pressureAffectsOpacity = pressureAffectsOpacity }
        if let pressureAffectsSize { brush.dynamics.pressureAffectsSize = pressureAffectsSize }
        if let tiltAffectsRotation { brush.dynamics.tiltAffectsRotation = tiltAffectsRotation }
        if let minimumSize { brush.dynamics.minimumSize = minimumSize }
        if let minimumOpacity { brush.dynamics.minimumOpacity = minimumOpacity }
    }
}

extension JSONObject {
    /// A brush type by its name; an unknown one is an error that names `owner`.
    func brushType(_ key: StaticString, owner: @autoclosure () -> String) throws(EngineError) -> BrushType? {
        try named(key) { name, _ in "unknown brush type \(name) in \(owner())" }
    }

    /// `paint` or `erase`; an unknown one is an error that names `owner`.
    func strokeMode(_ key: StaticString, owner: @autoclosure () -> String) throws(EngineError) -> StrokeMode? {
        try named(key) { name, names in "unknown mode \(name) in \(owner()), must be \(names)" }
    }

    /// An odd number from 1 to 63.
    fileprivate func lineCount(_ key: StaticString) throws(EngineError) -> Int? {
        guard let number = try number(key) else { return nil }
        guard number >= 1, number <= 63, let count = Int(exactly: number), count % 2 == 1 else {
            return try refuse(error(key, "is \(shownNumber(number)), must be an odd number from 1 to 63"))
        }
        return count
    }

    fileprivate func waveLength(_ key: StaticString, limits: Limits) throws(EngineError) -> Double? {
        guard let length = try length(key, limits: limits) else { return nil }
        guard length >= 0.5 else {
            return try refuse(error(key, "is \(shownNumber(length)), must be at least 0.5"))
        }
        return length
    }
}
