import Foundation
public import InkEngine

/// Writes a project as the file that describes it (`.ink`, spec 2.1), so that a test's project can take the way of a
/// person's. Every key of version 1.1 is spelt out, those of 1.2 (spec 8) where they say something; then that is the
/// version. Numbers are written so that they read back exactly.
public enum ProjectFileWriter {
    /// UTF-8 JSON.
    public static func bytes(of project: Project) -> [UInt8] {
        let canvas = project.canvasSize
        let isNewer =
            project.isInfinite || !project.viewports.isEmpty || project.layers.contains(where: \.needsVersion12)
        var members: [(String, String)] = [
            ("version", text(isNewer ? "1.2" : "1.1")), ("id", text(project.id)), ("name", text(project.name)),
            ("createdAt", optional(project.createdAt.map(text))),
            ("modifiedAt", optional(project.modifiedAt.map(text))),
            project.isInfinite ? ("canvas", text("infinite")) : ("canvasSize", size(canvas)),
            ("background", text(project.background == .transparent ? "transparent" : project.background.description)),
            ("baseImage", image(project.baseImage)),
            ("layers", array(project.layers.map(layer))),
        ]
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
        switch layer.kind {
        case .layer:
            if let placed = layer.contentPlacement { members.append(("contentPlacement", placement(placed))) }
            members += [
                ("isLocked", "false"), ("suggestedPattern", optional(layer.suggestedPattern.map(pattern))),
                ("strokes", array(layer.strokes.map(stroke))),
            ]
        case .fill(let paint):
            members += [("type", text("fill")), ("color", text((paint.color ?? .transparent).description))]
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
                object([
                    ("pressureAffectsOpacity", "\(dynamics.pressureAffectsOpacity)"),
                    ("pressureAffectsSize", "\(dynamics.pressureAffectsSize)"),
                    ("tiltAffectsRotation", "\(dynamics.tiltAffectsRotation)"),
                ])
            ),
        ]
        if brush.anchor != .stamp {
            members += [("anchor", text(brush.anchor.rawValue)), ("size", "\(brush.size)")]
        }
        return object([
            ("brush", object(members)), ("mode", text(stroke.mode.rawValue)),
            ("points", array(stroke.points.map(point))),
        ])
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
