import InkDocuments
import InkEngine
import InkExports
import InkJSON

/// What is known about a pack without rendering it.
struct PackInspection: Inspection {
    let input: ExportInput
    let warnings: [ReadingWarning]
    let refusals: [PictureFailure]
    private let pack: Pack
    /// By the numbers of the pack's pictures.
    private let canvases: [CanvasSize]
    private let bundles: [PackOutline.Bundle]

    /// Inspects a project that is a pack; nil for any other.
    init?(_ opened: OpenedProject, input: ExportInput, limits: Limits) {
        guard let pack = opened.project.pack else { return nil }
        self.input = input
        self.pack = pack
        let pictures = opened.project.packPictures
        canvases = pictures.map(\.canvas)
        // Their pixels are decoded once, since a damaged picture stops all items that show it.
        let damaged = pictures.flatMap { picture in
            var shown = opened
            shown.project = picture.project
            return ProjectInspection(shown, input: input, limits: limits).refusals
        }
        let outline = PackOutline(input, opened, limits: limits)
        bundles = outline.bundles
        warnings = outline.warnings
        refusals = damaged + outline.refusals
    }

    var text: String {
        let info = pack.info
        var lines = ["\(input.shownName) \"\(info.name)\""]
        let author = info.author.isEmpty ? "" : " by \(info.author)"
        lines.append("  pack \(info.id), release \(info.release)\(author)")
        for (picture, canvas) in zip(pack.pictures, canvases) {
            lines.append("  picture \(picture.file): \(canvas), \(picture.scaling.rawValue)")
        }
        lines.append("  \(pack.items.count) \(pack.items.count == 1 ? "item" : "items")")
        for (number, item) in pack.items.enumerated() {
            let parts = ["\(item.base) \(canvases[pack.base(ofItem: number)])", item.color] + item.effects
            lines.append(
                "    \(item.id) \"\(item.name)\": \(parts.filter { !$0.isEmpty }.joined(separator: ", "))")
        }
        if pack.targets.isEmpty { lines.append("  no targets; choose some with ink pack --target") }
        for bundle in bundles {
            lines.append(
                "  \(bundle.target): \(bundle.archive), \(bundle.itemCount) items, \(bundle.fileCount) files")
        }
        for warning in warnings { lines.append("  warning: \(warning)") }
        for refusal in refusals { lines.append("  refused: " + refusal.reason) }
        return lines.map { $0.escapingControls() }.joined(separator: "\n")
    }

    var json: JSONValue {
        let info = pack.info
        return [
            "input": .string(input.path), "id": .string(info.id), "name": .string(info.name),
            "author": .string(info.author), "release": .string(info.release.description),
            "pictures": .array(
                zip(pack.pictures, canvases).map { picture, canvas in
                    ["file": .string(picture.file), "scaling": .string(picture.scaling.rawValue)] + Self.json(canvas)
                }),
            "items": .array(
                pack.items.enumerated().map { number, item in
                    [
                        "id": .string(item.id), "name": .string(item.name), "base": .string(item.base),
                        "color": .string(item.color), "effects": .array(item.effects.map { .string($0) }),
                    ] + Self.json(canvases[pack.base(ofItem: number)])
                }),
            "bundles": .array(
                bundles.map { bundle in
                    [
                        "target": .string(bundle.target), "archive": .string(bundle.archive),
                        "items": .integer(bundle.itemCount), "files": .integer(bundle.fileCount),
                    ]
                }),
            "warnings": .lines(warnings),
            "refused": .array(refusals.map { .string($0.reason) }),
        ]
    }

    private static func json(_ canvas: CanvasSize) -> JSONValue {
        ["width": .number(canvas.width), "height": .number(canvas.height)]
    }
}
