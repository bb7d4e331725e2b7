/// The objects of the formats and their keys; the schemas in docs/schema have the same.
enum FormatObject: Int, Hashable, Sendable, CaseIterable {
    case project, size, viewport, viewportSize, metadata, layer, group, fill, placement, suggestedPattern, stroke,
        brush, dynamics, point, position
    case symbol, shape, linearGradient, radialGradient, pattern
    case manifest, manifestLayer
    case preset, presetDefaults

    /// The keys in the usual order of files, which makes looking them up fast.
    var keys: [StaticString] { Self.table[rawValue] }

    private static let table: [[StaticString]] = allCases.map { kind in
        switch kind {
        case .project:
            [
                "version", "id", "name", "createdAt", "modifiedAt", "canvas", "canvasSize", "background", "baseImage",
                "baseFile", "symbols", "layers", "viewports", "metadata", "readingWarnings",
            ]
        case .size, .viewportSize: ["width", "height"]
        case .viewport: ["name", "center", "zoom", "rotation", "size"]
        case .metadata: ["author", "license", "exif", "xmp", "dotsPerInch", "unitsPerInch"]
        case .layer:
            elementProperties + [
                "contentImage", "contentFile", "contentPlacement", "contentFilter", "isLocked", "suggestedPattern",
                "shapes", "strokes",
            ]
        case .group: elementProperties + ["passThrough", "isLocked", "layers"]
        case .fill: elementProperties + ["color", "isLocked"]
        case .placement: ["x", "y", "width", "height", "rotation"]
        case .suggestedPattern: ["type", "rotation", "spacing", "color"]
        case .stroke: ["brush", "mode", "smoothing", "closed", "caps", "points"]
        case .brush: settings + ["preset", "dynamics"]
        case .dynamics:
            [
                "pressureAffectsOpacity", "pressureAffectsSize", "tiltAffectsRotation", "minimumSize", "minimumOpacity",
            ]
        case .point: ["x", "y", "position", "pressure", "timestamp", "altitude", "azimuth"]
        case .position: ["x", "y"]
        case .symbol: ["id", "path"]
        case .shape: ["path", "symbol", "transform", "rule", "fill", "opacity", "mode", "text", "textOf"]
        case .linearGradient: ["type", "from", "to", "stops"]
        case .radialGradient: ["type", "center", "radius", "stops"]
        case .pattern:
            [
                "type", "brush", "rotation", "spacing", "scale", "lineWidth", "dotRadius", "waveLength", "edge",
                "color",
            ]
        case .manifest:
            [
                "version", "id", "name", "author", "license", "createdAt", "modifiedAt", "canvasSize", "baseImage",
                "preview", "guide", "layers", "metadata",
            ]
        case .manifestLayer:
            properties + ["isLocked", "mask", "maskImage", "maskPath", "maskFile", "suggestedPattern"]
        case .preset: ["id", "name", "type", "defaults", "dynamics"]
        case .presetDefaults: settings + ["dynamics"]
        }
    }

    private static let properties: [StaticString] = ["id", "name", "order", "opacity", "blendMode", "isVisible"]
    private static let elementProperties: [StaticString] =
        ["type"] + properties + ["clipped", "maskImage", "maskFile", "maskPlacement", "maskOutside", "maskShapes"]
    private static let settings: [StaticString] = [
        "type", "rotation", "spacing", "opacity", "scale", "lineWidth", "lines", "dotRadius", "waveLength", "edge",
        "stampSpacing", "followsPath", "caps", "anchor", "size", "color",
    ]

    /// Whether a key is not a mistake: other programs' keys begin like this, and so does `$schema`.
    static func isForeign(_ key: String) -> Bool {
        key.hasPrefix("_") || key.hasPrefix("$") || key.hasPrefix("x-")
    }
}

extension JSONNode {
    /// The keys of an object that are not in `known`, in file order, including repeated ones.
    ///
    /// - Complexity: about linear if the known keys are in the order of `known`.
    func keys(notIn known: [StaticString]) -> [JSONNode] {
        guard tag == Tag.object else { return [] }
        var unknown: [JSONNode] = []
        var position = index + 1
        let end = endIndex - 1
        var next = 0
        while position < end {
            let key = at(position)
            var tried = 0
            while tried < known.count, !key.isString(known[next]) {
                next = next + 1 == known.count ? 0 : next + 1
                tried += 1
            }
            if tried == known.count {
                unknown.append(key)
            } else {
                next = next + 1 == known.count ? 0 : next + 1
            }
            position = at(position + 1).endIndex
        }
        return unknown
    }
}
