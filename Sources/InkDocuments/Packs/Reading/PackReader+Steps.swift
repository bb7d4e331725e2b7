import InkEngine
import InkJSON

/// Steps of items and effects.
extension PackReader {
    /// The most replaced colours of a step.
    private static let replacementsMax = 256
    private static let stopsMax = 64

    /// The colour step that every pack has.
    static let rainbow = PackStep.fill(
        .gradient(
            spread([0xff5a5a, 0xffb347, 0xfff06a, 0x7ee081, 0x6ac8ff, 0x8f8bff, 0xe38bff].map { RGBA8(rgb: $0) }),
            angle: 180), .multiply, amount: 1)

    /// Colours that lie evenly between 0 and 1.
    private static func spread(_ colors: [RGBA8]) -> [Gradient.Stop] {
        colors.enumerated().map { Gradient.Stop(offset: Double($0) / Double(colors.count - 1), color: $1) }
    }

    /// A colour step or a list of them.
    mutating func steps(_ node: PackNode) throws(EngineError) -> [PackStep] {
        guard node.value.array != nil else { return try step(node) }
        let elements = try node.elements()
        guard elements.count <= Pack.stepsMax else {
            throw .overLimit(
                Place(file: file, path: node.place), what: "the number of steps", found: "\(elements.count)",
                limit: "\(Pack.stepsMax)")
        }
        var steps: [PackStep] = []
        for element in elements { steps += try step(element) }
        return steps
    }

    private mutating func step(_ node: PackNode) throws(EngineError) -> [PackStep] {
        if let text = node.value.string {
            guard text.hasPrefix("#") else { return try steps(ofColor: text, at: node) }
            return [.fill(.color(try node.color()), .multiply, amount: 1)]
        }
        guard node.value.members != nil else { throw node.wrongType("a colour, a name, an object or a list of these") }
        let fields = try node.fields(["mode", "color", "amount", "gradient", "angle", "replace"])
        if let replace = fields["replace"] {
            guard fields.count == 1 else { throw node.error("a step that replaces colours has no other key") }
            return [.replace(try replacements(replace))]
        }
        let paint: PackPaint
        switch (fields["color"], fields["gradient"]) {
        case (let color?, nil):
            if let angle = fields["angle"] { throw angle.error("belongs to a gradient, and there is none") }
            paint = .color(try color.color())
        case (nil, let gradient?):
            let angle = try fields["angle"]?.number(-360_000...360_000) ?? 180
            paint = .gradient(try stops(gradient), angle: angle)
        case (nil, nil): throw node.error("needs a color, a gradient or replace")
        case (_?, _?): throw node.error("has a color and a gradient, must have one of them")
        }
        let mode = try fields["mode"]?.mode() ?? .multiply
        return [.fill(paint, mode, amount: try fields["amount"]?.number(0...1) ?? 1)]
    }

    private func stops(_ node: PackNode) throws(EngineError) -> [Gradient.Stop] {
        let elements = try node.elements()
        guard (2...Self.stopsMax).contains(elements.count) else {
            throw node.error("has \(elements.count) colours, must have 2 to \(Self.stopsMax)")
        }
        guard elements.contains(where: { $0.value.array != nil }) else {
            var colors: [RGBA8] = []
            for element in elements { colors.append(try element.color()) }
            return Self.spread(colors)
        }
        var stops: [Gradient.Stop] = []
        for element in elements {
            guard let count = element.value.array?.count else {
                throw element.error("has no place; either all colours have one or none")
            }
            guard count == 2 else { throw element.error("must be a place and a colour") }
            let parts = try element.elements()
            let offset = try parts[0].number(0...1)
            if let last = stops.last, offset < last.offset {
                throw parts[0].error("is \(shownNumber(offset)), less than the place before")
            }
            stops.append(Gradient.Stop(offset: offset, color: try parts[1].color()))
        }
        return stops
    }

    private func replacements(_ node: PackNode) throws(EngineError) -> [UInt32: UInt32] {
        let members = try node.members()
        guard members.count <= Self.replacementsMax else {
            throw node.error("replaces \(members.count) colours, may replace \(Self.replacementsMax)")
        }
        var colors: [UInt32: UInt32] = [:]
        for (key, value) in members {
            guard let from = PackNode.color(key) else {
                throw value.error("\"\(shownText(key))\" is not a colour of the form #rgb or #rrggbb")
            }
            guard colors.updateValue(try value.color().rgb, forKey: from.rgb) == nil else {
                throw value.error("the colour \(from) is replaced twice")
            }
        }
        return colors
    }

    /// A layer of an effect.
    mutating func layer(_ node: PackNode) throws(EngineError) -> PackLayer {
        let fields = try node.fields(["picture", "mode", "opacity", "clip", "place"])
        guard let picture = fields["picture"] else { throw node.child("picture", .null).error("is missing") }
        var layer = PackLayer(picture: try pictureNumber(picture))
        layer.mode = try fields["mode"]?.mode() ?? .normal
        layer.opacity = try fields["opacity"]?.number(0...1) ?? 1
        layer.isClipped = try fields["clip"]?.bool() ?? false
        if let place = fields["place"] {
            let fields = try place.fields(["x", "y", "width", "height", "rotation"])
            layer.placement = Placement(
                x: try fields["x"]?.number(-10...10) ?? 0, y: try fields["y"]?.number(-10...10) ?? 0,
                width: try fields["width"]?.number(0.0001...10) ?? 1,
                height: try fields["height"]?.number(0.0001...10) ?? 1,
                rotation: try fields["rotation"]?.number(-360_000...360_000) ?? 0)
        }
        return layer
    }

    /// A colour as the text of an item: names and colours joined by `_`.
    static func colorText(_ value: JSONValue) -> String {
        if let text = value.string { return text }
        if let list = value.array { return list.map(colorText).joined(separator: "_") }
        return value["replace"] != nil
            ? "replace" : value["gradient"] != nil ? "gradient" : value["color"]?.string ?? ""
    }
}

extension RGBA8 {
    /// 0xrrggbb, without its alpha.
    var rgb: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }

    init(rgb: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: rgb >> 16), green: UInt8(truncatingIfNeeded: rgb >> 8),
            blue: UInt8(truncatingIfNeeded: rgb))
    }
}
