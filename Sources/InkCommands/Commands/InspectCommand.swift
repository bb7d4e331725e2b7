import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkJSON
import InkPlanning
import InkSystem

/// `ink inspect`: shows what projects contain and what would stop their export.
struct InspectCommand {
    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let paths = parsed.all("PROJECT")
        guard !paths.isEmpty else { throw .usage("a PROJECT is needed (see \"ink help inspect\")") }
        let limits = try environment.limits(parsed.value("limits"))
        let presetFolders = parsed.all("presets")
        try FileSystem.checkPresetFolders(presetFolders)
        let opener = environment.exports.makeOpener(
            ReadingChoices(presetFolders: presetFolders, limits: limits))
        var failures: [ExitCode] = []
        var documents: [JSONValue] = []
        for path in paths {
            let input = ExportInput(path: path)
            let inspection: any Inspection
            do throws(EngineError) {
                if let score = try ScoreInspection(input, limits: limits) {
                    inspection = score
                } else {
                    let opened = try opener.open(input)
                    if let pack = PackInspection(opened, input: input, limits: limits) {
                        inspection = pack
                    } else {
                        inspection = ProjectInspection(opened, input: input, limits: limits)
                    }
                }
            } catch {
                let faults = opener.faults(of: input)
                let errors = faults.kept.isEmpty ? [error] : faults.kept
                for error in errors { environment.console.fault(error.description) }
                if faults.count > errors.count {
                    environment.console.fault("\(input.shownName): and \(faults.count - errors.count) more errors")
                }
                failures.append(error.exitCode)
                documents.append(
                    [
                        "input": .string(path), "refused": .array(errors.map { .string($0.description) }),
                        "refusedCount": .number(Double(max(faults.count, errors.count))),
                    ])
                continue
            }
            failures += inspection.refusals.map(\.kind)
            for refusal in inspection.refusals { environment.console.error(refusal.reason) }
            if parsed.isGiven("strict"),
                let failure = PictureFailure(strictly: inspection.warnings, of: input.shownName)
            {
                failures.append(failure.kind)
                environment.console.error(failure.reason)
            }
            if parsed.isGiven("json") {
                documents.append(inspection.json)
            } else {
                try environment.console.printText(inspection.text)
            }
        }
        if parsed.isGiven("json") {
            try environment.console.print((paths.count == 1 ? documents[0] : .array(documents)).text())
        }
        return .combining(failures)
    }
}

/// What is known about an input without rendering it.
protocol Inspection: Sendable {
    var warnings: [ReadingWarning] { get }
    /// Everything that would stop an export.
    var refusals: [PictureFailure] { get }
    /// Lines for a person.
    var text: String { get }
    var json: JSONValue { get }
}

/// What is known about a project without rendering it.
struct ProjectInspection: Inspection {
    /// An embedded image, decoded once as a check.
    struct Image: Sendable {
        var size: PixelSize
        var byteCount: Int
        /// For a mask: the rectangle outside of which it is 0; nil if it is 0 everywhere, or the image is not a mask.
        var maskBounds: PixelRect?
    }

    struct LayerInspection: Sendable {
        var layer: Layer
        /// The number of groups around it.
        var depth: Int
        var mask: Image?
        var content: Image?
        var pointCount: Int
        /// nil if there are too many stamps to count.
        var stampCount: Int?
    }

    let input: ExportInput
    let project: Project
    let warnings: [ReadingWarning]
    let base: Image?
    /// All elements of the tree in drawing order, groups before their elements.
    let layers: [LayerInspection]
    /// Everything that would stop an export.
    let refusals: [PictureFailure]

    init(_ opened: OpenedProject, input: ExportInput, limits: Limits) {
        self.input = input
        project = opened.project
        warnings = opened.warnings
        var refusals: [PictureFailure] = []
        func look(_ image: EncodedImage?, _ use: ImageUse) -> Image? {
            guard let image else { return nil }
            var seen = Image(size: image.size, byteCount: image.bytes.count)
            do throws(EngineError) {
                let place = Place(file: input.shownName, path: image.place)
                let info = try ImageDecoders.decode(
                    image.bytes, as: use, convertsProfiles: opened.project.hasColorProfiles, place: place,
                    limits: limits
                ) { _ in }
                seen.maskBounds = info.maskBounds
            } catch {
                refusals.append(PictureFailure(error))
            }
            return seen
        }
        base = look(project.baseImage, .color)
        var layers: [LayerInspection] = []
        func add(_ elements: [DrawnTree.Element], depth: Int) {
            for element in elements {
                let layer = element.layer
                let stamps = StampCount.exact(of: layer)
                layers.append(
                    LayerInspection(
                        layer: layer, depth: depth, mask: look(layer.maskImage, .mask),
                        content: look(layer.contentImage, .color),
                        pointCount: layer.strokes.reduce(0) { $0 + $1.points.count },
                        stampCount: stamps == .max ? nil : stamps))
                add(element.children, depth: depth + 1)
                add(element.clipped, depth: depth)
            }
        }
        add(DrawnTree(project.layers).elements, depth: 0)
        self.layers = layers
        do throws(EngineError) {
            try StampCount.check(project, limits: limits, file: input.shownName)
        } catch {
            refusals.append(PictureFailure(error))
        }
        self.refusals = refusals
    }

    /// The sum over the layers; nil if one has too many to count.
    var stampCount: Int? {
        var sum = 0
        for layer in layers {
            guard let count = layer.stampCount else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(count)
            guard !overflow else { return nil }
            sum = next
        }
        return sum
    }

    var text: String {
        let title = project.name.isEmpty ? "" : " \"\(project.name)\""
        var lines = ["\(input.shownName)\(title)"]
        let canvas = project.isInfinite ? "infinite canvas" : "canvas \(project.canvasSize)"
        lines.append("  \(canvas), background \(project.background)")
        if project.isInfinite || !project.viewports.isEmpty, let bounds = project.visibleBounds {
            lines.append(
                "  visible from \(Self.place(bounds.minX, bounds.minY)) to \(Self.place(bounds.maxX, bounds.maxY))")
        }
        for viewport in project.viewports {
            lines.append(
                "  viewport \"\(viewport.name)\": \(viewport.size) at \(Self.place(viewport.center.x, viewport.center.y)), zoom "
                    + Shown.decimal(viewport.zoom, places: 3)
                    + (viewport.rotation == 0 ? "" : ", rotation \(Shown.decimal(viewport.rotation, places: 3))"))
        }
        if let base { lines.append("  base image \(base.size), \(base.byteCount) bytes") }
        let strokes = layers.reduce(0) { $0 + $1.layer.strokes.count }
        let points = layers.reduce(0) { $0 + $1.pointCount }
        let shapes = layers.reduce(0) { $0 + $1.layer.shapes.count }
        let shown = shapes == 0 ? "" : "\(shapes) shapes, "
        if !project.symbols.isEmpty { lines.append("  \(project.symbols.count) symbols") }
        lines.append(
            "  \(layers.count) layers, \(shown)\(strokes) strokes, \(points) points, "
                + (stampCount.map { "\($0) stamps" } ?? "stamps beyond counting"))
        for layer in layers {
            lines.append(String(repeating: "  ", count: 1 + layer.depth) + Self.line(layer))
        }
        for warning in warnings { lines.append("  warning: \(warning)") }
        for refusal in refusals { lines.append("  refused: " + refusal.reason) }
        return lines.map { $0.escapingControls() }.joined(separator: "\n")
    }

    private static func line(_ inspection: LayerInspection) -> String {
        let layer = inspection.layer
        var mode = layer.blendMode.rawValue
        switch layer.kind {
        case .layer: break
        case .fill(let paint): mode = "\(name(paint)), \(mode)"
        case .group(_, let isPassThrough): if isPassThrough { mode = "passes through" }
        }
        var parts = ["\(kind(layer)) \"\(layer.name.isEmpty ? layer.id : layer.name)\": \(mode)"]
        if layer.isClipped { parts.append("clipped") }
        if !layer.isVisible { parts.append("hidden") }
        if layer.opacity != 1 { parts.append("opacity \(layer.opacity)") }
        if let mask = inspection.mask {
            parts.append("mask \(mask.size)" + (mask.maskBounds.map { " open in \($0)" } ?? " closed"))
        }
        if let shapes = layer.maskShapes {
            parts.append(shapes.isEmpty ? "mask closed, without shapes" : "mask of \(shapes.count) shapes")
        }
        if let content = inspection.content {
            parts.append("content \(content.size)" + (layer.contentFilter == .nearest ? ", nearest samples" : ""))
        }
        if !layer.shapes.isEmpty {
            let segments = layer.shapes.reduce(0) { $0 + $1.path.segmentCount }
            parts.append("\(layer.shapes.count) shapes, \(segments) segments")
        }
        if let pattern = layer.suggestedPattern { parts.append("suggests \(pattern.type.rawValue)") }
        if !layer.strokes.isEmpty {
            let types = Set(layer.strokes.map(\.brush.type.rawValue)).sorted().joined(separator: ", ")
            parts.append(
                "\(layer.strokes.count) strokes (\(types)), \(inspection.pointCount) points, "
                    + (inspection.stampCount.map { "\($0) stamps" } ?? "stamps beyond counting"))
        }
        return parts.joined(separator: ", ")
    }

    private static func name(_ paint: Paint) -> String {
        switch paint {
        case .color(let color): color.description
        case .gradient(let gradient):
            switch gradient.kind {
            case .linear: "linear gradient"
            case .radial: "radial gradient"
            }
        case .pattern(let brush): "pattern of \(brush.type.rawValue)"
        }
    }

    private static func place(_ x: Double, _ y: Double) -> String {
        "\(Shown.decimal(x, places: 2)), \(Shown.decimal(y, places: 2))"
    }

    var json: JSONValue {
        [
            "input": .string(input.path), "id": .string(project.id), "name": .string(project.name),
            "canvas": project.isInfinite ? .null : Self.json(project.canvasSize),
            "background": .string(project.background.description),
            "baseImage": Self.json(base), "stamps": .optional(stampCount),
            "symbols": .integer(project.symbols.count),
            "layers": .array(layers.map(Self.json)),
            "viewports": .array(project.viewports.map(Self.json)),
            "visible": project.visibleBounds.map(Self.json) ?? .null,
            "warnings": .lines(warnings),
            "refused": .array(refusals.map { .string($0.reason) }),
        ]
    }

    private static func json(_ inspection: LayerInspection) -> JSONValue {
        let layer = inspection.layer
        return [
            "type": .string(kind(layer)), "depth": .integer(inspection.depth),
            "id": .string(layer.id), "name": .string(layer.name), "order": .number(layer.order),
            "blendMode": .string(layer.blendMode.rawValue), "opacity": .number(layer.opacity),
            "visible": .bool(layer.isVisible), "mask": json(inspection.mask), "content": json(inspection.content),
            "suggestedPattern": .optional(layer.suggestedPattern?.type.rawValue),
            "shapes": .integer(layer.shapes.count), "maskShapes": .optional(layer.maskShapes?.count),
            "strokes": .integer(layer.strokes.count), "points": .integer(inspection.pointCount),
            "stamps": .optional(inspection.stampCount),
        ]
    }

    private static func kind(_ layer: Layer) -> String {
        switch layer.kind {
        case .layer: "layer"
        case .fill: "fill"
        case .group: "group"
        }
    }

    private static func json(_ viewport: Viewport) -> JSONValue {
        [
            "name": .string(viewport.name), "x": .number(viewport.center.x), "y": .number(viewport.center.y),
            "zoom": .number(viewport.zoom), "rotation": .number(viewport.rotation), "size": json(viewport.size),
        ]
    }

    private static func json(_ box: Rect) -> JSONValue {
        [
            "minX": .number(box.minX), "minY": .number(box.minY), "maxX": .number(box.maxX),
            "maxY": .number(box.maxY),
        ]
    }

    private static func json(_ size: CanvasSize) -> JSONValue {
        ["width": .number(size.width), "height": .number(size.height)]
    }

    private static func json(_ image: Image?) -> JSONValue {
        guard let image else { return .null }
        return [
            "width": .integer(image.size.width), "height": .integer(image.size.height),
            "bytes": .integer(image.byteCount),
            "maskBounds": image.maskBounds.map { .string($0.description) } ?? .null,
        ]
    }
}
