import InkDocuments
import InkEngine
import InkExports
import InkSystem

/// `ink template fill`: puts a pattern into a layer of a template or project, where its mask shows it.
enum TemplateFillCommand {
    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard let input = parsed.value("TEMPLATE"), !input.isEmpty else {
            throw .usage("a TEMPLATE or project is needed (see \"ink help \(parsed.name)\")")
        }
        let names = parsed.all("layer")
        guard !names.isEmpty else { throw .usage("a layer is needed (--layer NAME)") }
        let fill = try fill(parsed)
        guard let path = parsed.value("output") ?? (input.hasEnding(".ink") ? input : nil) else {
            throw .usage("a template is not changed; -o FILE.ink writes a project")
        }
        guard path.hasEnding(".ink") else { throw .usage("-o: \(path) does not end in .ink, as projects do") }
        // A project is changed in place only where that is said.
        let replaces = try Existing.replaces(parsed)
        let limits = try environment.limits(parsed.value("limits"))
        try Existing.check(path, replaces: replaces)
        var reading = try CommandError.wrapping(
            try ProjectLoader.load(path: input, limits: limits, takesForeign: false))
        if !parsed.isGiven("quiet") {
            for warning in reading.warnings { environment.console.warning("\(input): \(warning)") }
        }
        guard !reading.project.isInfinite else {
            throw .engine(.badInput(Place(file: input), reason: "has no canvas that a pattern could fill"))
        }
        let chosen =
            try LayerChoice.named(names).drawnLayers(
                of: ProjectOutline(reading.project), layer: nil, file: input, option: "--layer") ?? []
        let canvas = reading.project.canvasSize
        var number = 0
        try reading.project.layers.fill(chosen, with: shape(fill, over: canvas), number: &number, file: input)
        try CommandError.wrapping { () throws(EngineError) in
            // Shapes make an old file one whose colour profiles count; its pictures stay as they are.
            let project = try reading.project.withColorProfiles(limits: limits)
            try FileSystem.writeAtomically(
                try ProjectWriter.write(project), to: path, replaces: replaces)
        }
        if !parsed.isGiven("quiet") { try environment.console.printText(path.escapingControls()) }
        return .done
    }

    private static func fill(_ parsed: ParsedCommand) throws(CommandError) -> Paint {
        guard parsed.isGiven("brush") else { throw .usage("a pattern is needed (--brush TYPE or a preset)") }
        let change = try ImportArguments.brush(parsed)
        var brush = change.preset ?? Brush(type: change.type ?? .parallelLines)
        brush.color = change.color ?? brush.color
        brush.spacing = change.spacing ?? brush.spacing
        brush.lineWidth = change.lineWidth ?? brush.lineWidth
        if let text = parsed.value("rotation") {
            brush.rotation = try TextValue.number(text, option: "--rotation", in: -360...360)
        }
        let dotRadiusMax = Brush.dotRadiusMax * brush.spacing
        if let text = parsed.value("dot-radius") {
            brush.dotRadius = try TextValue.canvasLength(
                text, option: "--dot-radius", in: min(0.01, dotRadiusMax / 64)...dotRadiusMax)
        }
        guard brush.dotRadius <= dotRadiusMax || brush.dotRadius == Brush().dotRadius else {
            throw .usage(
                "--spacing: the preset's dots have a radius of \(Shown.plain(brush.dotRadius)), which is more than "
                    + "\(Shown.plain(Brush.dotRadiusMax)) times \(Shown.plain(brush.spacing)); give a --dot-radius too")
        }
        guard brush.type != .solid else {
            var color = brush.color
            color.alpha = UInt8((255 * min(max(brush.opacity, 0), 1)).rounded())
            return .color(color)
        }
        guard brush.type.canLieStill else {
            throw .usage("--brush: \(brush.type.rawValue) follows strokes and cannot fill a layer")
        }
        brush.anchor = .canvas
        return .pattern(brush)
    }

    /// A rectangle over all of the canvas.
    private static func shape(_ fill: Paint, over canvas: CanvasSize) -> Shape {
        let box = Rect(minX: 0, minY: 0, maxX: canvas.width, maxY: canvas.height)
        return Shape(path: ShapePath(box: box), fill: fill, textOf: mark)
    }

    /// Marks the shape as ours, so that it is replaced when the layer is filled again, and a person's own is not.
    fileprivate static let mark = "ink template fill"
}

extension [Layer] {
    /// Puts a shape below what is drawn in layers; the one that was put there before is replaced.
    ///
    /// - Parameters:
    ///   - chosen: their places in `flattened`.
    ///   - number: that of the first element.
    /// - Throws: `usage` for what is no layer.
    fileprivate mutating func fill(
        _ chosen: [Int], with shape: Shape, number: inout Int, file: String
    ) throws(CommandError) {
        for index in indices {
            let isChosen = chosen.contains(number)
            number += 1
            if case .group(var children, let isPassThrough) = self[index].kind {
                try children.fill(chosen, with: shape, number: &number, file: file)
                self[index].kind = .group(children, isPassThrough: isPassThrough)
            }
            guard isChosen else { continue }
            guard case .layer = self[index].kind else {
                throw .usage("\(file): \"\(self[index].name)\" is no layer, a pattern cannot be put into it")
            }
            if self[index].shapes.first?.textOf == TemplateFillCommand.mark { self[index].shapes.removeFirst() }
            self[index].shapes.insert(shape, at: 0)
        }
    }
}
