import Foundation
public import InkEngine

/// Writes a project as the file that describes it (`.ink`, version 1.1, spec 2.1), every key spelt out, so that a test's
/// project can take the way of a person's. Numbers are written so that they read back exactly.
public enum ProjectFileWriter {
    /// UTF-8 JSON.
    public static func bytes(of project: Project) -> [UInt8] {
        let canvas = project.canvasSize
        var members: [(String, String)] = [
            ("version", text("1.1")), ("id", text(project.id)), ("name", text(project.name)),
            ("createdAt", optional(project.createdAt.map(text))),
            ("modifiedAt", optional(project.modifiedAt.map(text))),
            ("canvasSize", object([("width", "\(canvas.width)"), ("height", "\(canvas.height)")])),
            ("background", text(project.background == .transparent ? "transparent" : project.background.description)),
            ("baseImage", image(project.baseImage)),
            ("layers", array(project.layers.map(layer))),
        ]
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
        object([
            ("id", text(layer.id)), ("name", text(layer.name)), ("order", "\(layer.order)"),
            ("maskImage", image(layer.maskImage)), ("contentImage", image(layer.contentImage)),
            ("opacity", "\(layer.opacity)"), ("blendMode", text(layer.blendMode.rawValue)),
            ("isVisible", "\(layer.isVisible)"), ("isLocked", "false"),
            ("suggestedPattern", optional(layer.suggestedPattern.map(pattern))),
            ("strokes", array(layer.strokes.map(stroke))),
        ])
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
        return object([
            (
                "brush",
                object([
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
                ])
            ),
            ("mode", text(stroke.mode.rawValue)), ("points", array(stroke.points.map(point))),
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
