import InkCodecs
package import InkDocuments
package import InkEngine
import InkJSON
import InkSystem

/// A template that has been made but not written.
package struct NewTemplate: Sendable {
    package var name: String
    /// Pixels.
    package var canvas: PixelSize
    /// What lies under the layers, PNG.
    package var base: [UInt8]?
    /// What the template was made of, PNG; never drawn.
    package var guide: [UInt8]?
    /// From the bottom to the top.
    package var layers: [TemplateLayer]

    package init(name: String, canvas: PixelSize, layers: [TemplateLayer]) {
        self.name = name
        self.canvas = canvas
        self.layers = layers
    }

    /// What lies under the layers.
    package enum Base: String, Hashable, Sendable, CaseIterable {
        /// The outlines of the layers.
        case outline
        /// The picture that the template is made of.
        case picture
        case none
    }

    /// What the masks of a project's layers are.
    package enum Masks: String, Hashable, Sendable, CaseIterable {
        /// Paths, where the borders are known, which are sharp at any size.
        case shapes
        /// Gray pictures, as in a template.
        case bitmap
    }

    /// The template as a project, whose layers suggest their patterns.
    ///
    /// - Throws: `badInput` for pictures that cannot be read.
    package func project(place: Place, limits: Limits) throws(EngineError) -> Project {
        func image(_ bytes: [UInt8], _ what: String) throws(EngineError) -> EncodedImage {
            try EncodedImage(checking: bytes, place: Place(file: place.file, path: what), limits: limits)
        }
        var project = Project(id: RegionNames.id(of: name), name: name, canvasSize: canvas)
        project.baseImage = try base.map { (base) throws(EngineError) in try image(base, "base.png") }
        for (index, (id, layer)) in zip(ids, layers).enumerated() {
            var made = Layer(
                id: id, name: layer.name, order: Double(index), opacity: layer.opacity, blendMode: layer.blendMode,
                isVisible: layer.isVisible, suggestedPattern: layer.pattern)
            if let outline = layer.outline {
                made.maskShapes = [Shape(path: outline, rule: .evenodd)]
            } else {
                made.maskImage = try image(layer.mask, "layers/\(id)_mask.png")
            }
            project.layers.append(made)
        }
        return project
    }

    private var ids: [String] { RegionNames.ids(of: layers.map(\.name)) }

    private var manifest: JSONValue {
        var manifest: JSONValue = [
            "version": .string("1.0"), "id": .string(RegionNames.id(of: name)), "name": .string(name),
            "canvasSize": ["width": .integer(canvas.width), "height": .integer(canvas.height)],
        ]
        if base != nil { manifest += ["baseImage": .string("base.png")] }
        manifest += ["preview": .string("preview.png")]
        if guide != nil { manifest += ["guide": .string("guide.png")] }
        let ids = ids
        return manifest + ["layers": .array(layers.indices.map { Self.json(layers[$0], id: ids[$0], order: $0) })]
    }

    private static func json(_ layer: TemplateLayer, id: String, order: Int) -> JSONValue {
        var shown: JSONValue = [
            "id": .string(id), "name": .string(layer.name), "order": .integer(order),
            "mask": .string("layers/\(id)_mask.png"),
        ]
        if layer.opacity != 1 { shown += ["opacity": .number(layer.opacity)] }
        if layer.blendMode != .normal { shown += ["blendMode": .string(layer.blendMode.rawValue)] }
        if !layer.isVisible { shown += ["isVisible": .bool(false)] }
        let pattern: JSONValue = [
            "type": .string(layer.pattern.type.rawValue), "rotation": .number(layer.pattern.rotation),
            "spacing": .number(layer.pattern.spacing), "color": .string(layer.pattern.color.description),
        ]
        return shown + ["suggestedPattern": pattern]
    }

    /// Writes the template with its preview.
    ///
    /// - Throws: `io`; errors of rendering the preview. Nothing is left behind then.
    package func write(to output: TemplateOutput, limits: Limits) throws(ExportError) {
        try output.write { folder throws(ExportError) in
            try ExportError.wrapping { () throws(EngineError) in
                try FileSystem.writeNew(
                    Array((manifest.text() + "\n").utf8), to: folder.appendingPath("manifest.json"))
                if let base { try FileSystem.writeNew(base, to: folder.appendingPath("base.png")) }
                if let guide { try FileSystem.writeNew(guide, to: folder.appendingPath("guide.png")) }
                for (id, layer) in zip(ids, layers) {
                    try FileSystem.writeNew(layer.mask, to: folder.appendingPath("layers/\(id)_mask.png"))
                }
            }
            let project = try ExportError.wrapping(try ProjectLoader.load(path: folder, limits: limits).project)
            let preview = try TemplatePreview.render(project, name: output.path, limits: limits)
            try ExportError.wrapping(try FileSystem.writeNew(preview, to: folder.appendingPath("preview.png")))
        }
    }
}
