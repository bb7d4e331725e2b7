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
    var anchor: BrushAnchor?
    var size: Double?
    var color: RGBA8?
    var pressureAffectsOpacity: Bool?
    var pressureAffectsSize: Bool?
    var tiltAffectsRotation: Bool?

    init() {}

    /// Reads the keys of a stroke's `brush` or of a preset's `defaults`.
    ///
    /// - Parameter owner: what to name in an error about an unknown type: `layer "Sky"`.
    init(_ object: JSONObject, owner: @autoclosure () -> String, limits: Limits) throws(EngineError) {
        type = try object.brushType("type", owner: owner())
        rotation = try object.number("rotation")
        spacing = try object.length("spacing", limits: limits)
        opacity = try object.fraction("opacity")
        scale = try object.length("scale", limits: limits)
        lineWidth = try object.length("lineWidth", limits: limits)
        anchor = try object.brushAnchor("anchor")
        size = try object.length("size", limits: limits)
        color = try object.opaqueColor("color")
        if let dynamics = try object.object("dynamics") { try readDynamics(dynamics) }
    }

    mutating func readDynamics(_ object: JSONObject) throws(EngineError) {
        pressureAffectsOpacity = try object.bool("pressureAffectsOpacity")
        pressureAffectsSize = try object.bool("pressureAffectsSize")
        tiltAffectsRotation = try object.bool("tiltAffectsRotation")
    }

    /// Replaces what is set here in a brush.
    func apply(to brush: inout Brush) {
        if let type { brush.type = type }
        if let rotation { brush.rotation = rotation }
        if let spacing { brush.spacing = spacing }
        if let opacity { brush.opacity = opacity }
        if let scale { brush.scale = scale }
        if let lineWidth { brush.lineWidth = lineWidth }
        if let anchor { brush.anchor = anchor }
        if let size { brush.size = size }
        if let color { brush.color = color }
        if let pressureAffectsOpacity { brush.dynamics.pressureAffectsOpacity = pressureAffectsOpacity }
        if let pressureAffectsSize { brush.dynamics.pressureAffectsSize = pressureAffectsSize }
        if let tiltAffectsRotation { brush.dynamics.tiltAffectsRotation = tiltAffectsRotation }
    }
}

extension JSONObject {
    /// A brush type by its name; an unknown one is an error that names `owner`.
    func brushType(_ key: StaticString, owner: @autoclosure () -> String) throws(EngineError) -> BrushType? {
        try named(key) { "unknown brush type \($0) in \(owner())" }
    }

    fileprivate func brushAnchor(_ key: StaticString) throws(EngineError) -> BrushAnchor? {
        try named(key) { "unknown anchor \($0), must be stamp or canvas" }
    }

    /// A value by its name; an unknown one is an error.
    private func named<Value: RawRepresentable<String> & CaseIterable>(
        _ key: StaticString, fault: (_ quoted: String) -> String
    ) throws(EngineError) -> Value? {
        guard let name = try string(key) else { return nil }
        guard let value = Value(rawValue: name) else {
            let meant = didYouMean(name, among: Value.allCases.map(\.rawValue))
            return try refuse(error(key, fault("\"\(shownText(name))\"") + meant))
        }
        return value
    }
}
