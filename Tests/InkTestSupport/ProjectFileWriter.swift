import Foundation
import InkCodecs
public import InkEngine

/// Writes a project as the file that describes it (`.ink`, spec 2.1), so that a test's project can take the way of a
/// person's. Every key of version 1.1 is spelt out, those of 1.2 and 1.3 (spec 8 to 10) where they say
/// something; then that is the version. Numbers are written so that they read back exactly.
public enum ProjectFileWriter {
    /// UTF-8 JSON.
    public static func bytes(of project: Project) -> [UInt8] {
        let canvas = project.canvasSize
        let isNewer =
            project.isInfinite || !project.viewports.isEmpty || project.layers.contains(where: \.needsVersion12)
        var members: [(String, String)] = [
            ("version", text(project.needsVersion13 ? "1.3" : isNewer ? "1.2" : "1.1")), ("id", text(project.id)),
            ("name", text(project.name)),
            ("createdAt", optional(project.createdAt.map(text))),
            ("modifiedAt", optional(project.modifiedAt.map(text))),
            project.isInfinite ? ("canvas", text("infinite")) : ("canvasSize", size(canvas)),
            ("background", text(project.background == .transparent ? "transparent" : project.background.description)),
            ("baseImage", image(project.baseImage)),
            ("layers", array(project.layers.map(layer))),
        ]
        if !project.symbols.isEmpty { members.append(("symbols", array(project.symbols.map(symbol)))) }
        if !project.viewports.isEmpty { members.append(("viewports", array(project.viewports.map(viewport)))) }
        members.append(
            (
                "metadata",
                object([
                    ("author", optional(project.metadata.author.map(text))),
                    ("license", optional(project.metadata.license.map(text))),
                ])
            ))
        return Array(object(members).utf8)
    }

    private static func layer(_ layer: Layer) -> String {
        var members: [(String, String)] = [
            ("id", text(layer.id)), ("name", text(layer.name)), ("order", "\(layer.order)"),
            ("maskImage", image(layer.maskImage)),
        ]
        if case .layer = layer.kind { members.append(("contentImage", image(layer.contentImage))) }
        members += [
            ("opacity", "\(layer.opacity)"), ("blendMode", text(layer.blendMode.rawValue)),
            ("isVisible", "\(layer.isVisible)"),
        ]
        if layer.isClipped { members.append(("clipped", "true")) }
        if let placed = layer.maskPlacement { members.append(("maskPlacement", placement(placed))) }
        if layer.maskOutside != 0 { members.append(("maskOutside", "\(layer.maskOutside)")) }
        if let shapes = layer.maskShapes { members.append(("maskShapes", array(shapes.map(shape)))) }
        if layer.contentFilter != .lanczos { members.append(("contentFilter", text(layer.contentFilter.rawValue))) }
        if !layer.shapes.isEmpty { members.append(("shapes", array(layer.shapes.map(shape)))) }
        switch layer.kind {
        case .layer:
            if let placed = layer.contentPlacement { members.append(("contentPlacement", placement(placed))) }
            members += [
                ("isLocked", "false"), ("suggestedPattern", optional(layer.suggestedPattern.map(pattern))),
                ("strokes", array(layer.strokes.map(stroke))),
            ]
        case .fill(let paint):
            members += [("type", text("fill")), ("color", self.paint(paint))]
        case .group(let children, let isPassThrough):
            members += [
                ("type", text("group")), ("passThrough", "\(isPassThrough)"),
                ("layers", array(children.map(self.layer))),
            ]
        }
        return object(members)
    }

    private static func placement(_ placement: Placement) -> String {
        object([
            ("x", "\(placement.x)"), ("y", "\(placement.y)"), ("width", "\(placement.width)"),
            ("height", "\(placement.height)"), ("rotation", "\(placement.rotation)"),
        ])
    }

    private static func viewport(_ viewport: Viewport) -> String {
        object([
            ("name", text(viewport.name)),
            ("center", object([("x", "\(viewport.center.x)"), ("y", "\(viewport.center.y)")])),
            ("zoom", "\(viewport.zoom)"), ("rotation", "\(viewport.rotation)"), ("size", size(viewport.size)),
        ])
    }

    private static func size(_ size: CanvasSize) -> String {
        object([("width", "\(size.width)"), ("height", "\(size.height)")])
    }

    private static func pattern(_ pattern: SuggestedPattern) -> String {
        object([
            ("type", text(pattern.type.rawValue)), ("rotation", "\(pattern.rotation)"),
            ("spacing", "\(pattern.spacing)"), ("color", text(pattern.color.description)),
        ])
    }

    private static func stroke(_ stroke: Stroke) -> String {
        let brush = stroke.brush
        let dynamics = brush.dynamics
        var members = [
            ("type", text(brush.type.rawValue)), ("rotation", "\(brush.rotation)"),
            ("spacing", "\(brush.spacing)"), ("opacity", "\(brush.opacity)"), ("scale", "\(brush.scale)"),
            ("lineWidth", "\(brush.lineWidth)"), ("color", text(brush.color.description)),
            (
                "dynamics",
                object(
                    [
                        ("pressureAffectsOpacity", "\(dynamics.pressureAffectsOpacity)"),
                        ("pressureAffectsSize", "\(dynamics.pressureAffectsSize)"),
                        ("tiltAffectsRotation", "\(dynamics.tiltAffectsRotation)"),
                    ] + minima(dynamics))
            ),
        ]
        if brush.needsVersion13 {
            members +=
                [
                    ("lines", "\(brush.lines)"), ("followsPath", "\(brush.followsPath)"),
                    ("caps", text(brush.caps.rawValue)),
                ]
                + marks(brush)
        }
        if let spacing = brush.stampSpacing { members.append(("stampSpacing", "\(spacing)")) }
        if brush.anchor != .stamp {
            members += [("anchor", text(brush.anchor.rawValue)), ("size", "\(brush.size)")]
        }
        var line: [(String, String)] = []
        if stroke.smoothing != .uniform { line.append(("smoothing", text(stroke.smoothing.rawValue))) }
        if stroke.isClosed { line.append(("closed", "true")) }
        return object(
            [("brush", object(members)), ("mode", text(stroke.mode.rawValue))] + line
                + [("points", array(stroke.points.map(point)))])
    }

    private static func minima(_ dynamics: BrushDynamics) -> [(String, String)] {
        let usual = BrushDynamics()
        var members: [(String, String)] = []
        if dynamics.minimumSize != usual.minimumSize { members.append(("minimumSize", "\(dynamics.minimumSize)")) }
        if dynamics.minimumOpacity != usual.minimumOpacity {
            members.append(("minimumOpacity", "\(dynamics.minimumOpacity)"))
        }
        return members
    }

    private static func marks(_ brush: Brush) -> [(String, String)] {
        [
            ("dotRadius", "\(brush.dotRadius)"), ("waveLength", "\(brush.waveLength)"),
            ("edge", text(brush.edge.rawValue)),
        ]
    }

    // MARK: Shapes

    private static func symbol(_ symbol: Symbol) -> String {
        object([("id", text(symbol.id)), ("path", path(symbol.path))])
    }

    private static func path(_ path: ShapePath) -> String { text(String(decoding: path.data, as: UTF8.self)) }

    private static func shape(_ shape: Shape) -> String {
        let map = shape.transform
        return object([
            shape.symbol.map { ("symbol", text($0)) } ?? ("path", path(shape.path)),
            ("transform", array([map.a, map.b, map.c, map.d, map.x, map.y].map { "\($0)" })),
            ("rule", text(shape.rule.rawValue)), ("fill", paint(shape.fill)), ("opacity", "\(shape.opacity)"),
            ("mode", text(shape.mode.rawValue)), ("text", optional(shape.text.map(text))),
            ("textOf", optional(shape.textOf.map(text))),
        ])
    }

    private static func paint(_ paint: Paint) -> String {
        switch paint {
        case .color(let color): return text(color.description)
        case .pattern(let brush):
            return object(
                [
                    ("type", text("pattern")), ("brush", text(brush.type.rawValue)), ("rotation", "\(brush.rotation)"),
                    ("spacing", "\(brush.spacing)"), ("scale", "\(brush.scale)"), ("lineWidth", "\(brush.lineWidth)"),
                    ("color", text(brush.color.description)),
                ] + marks(brush))
        case .gradient(let gradient):
            func place(_ point: Point) -> String { array(["\(point.x)", "\(point.y)"]) }
            let stops = array(gradient.stops.map { array(["\($0.offset)", text($0.color.description)]) })
            switch gradient.kind {
            case .linear(let from, let to):
                return object([("type", text("linear")), ("from", place(from)), ("to", place(to)), ("stops", stops)])
            case .radial(let center, let radius):
                return object([
                    ("type", text("radial")), ("center", place(center)), ("radius", "\(radius)"), ("stops", stops),
                ])
            }
        }
    }

    private static func point(_ point: StrokePoint) -> String {
        array([point.x, point.y, point.pressure, point.timestamp, point.altitude, point.azimuth].map { "\($0)" })
    }

    private static func image(_ image: EncodedImage?) -> String {
        optional(image.map { text(Data($0.bytes).base64EncodedString()) })
    }

    // MARK: JSON

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(text($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    private static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    private static func optional(_ value: String?) -> String { value ?? "null" }

    private static func text(_ value: String) -> String {
        var quoted = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let hex = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
