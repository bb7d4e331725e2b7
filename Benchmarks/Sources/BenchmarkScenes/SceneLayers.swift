import InkCodecs
public import InkEngine

extension Scenes {
    /// The layers of a scene as strokes only: without masks, opaque, normal.
    public static func strokeLayers(_ project: Project) -> [SceneTasks.Layer] {
        project.layers.drawingOrder.map { index in
            var layer = SceneTasks.Layer()
            layer.strokes = project.layers[index].strokes
            return layer
        }
    }

    /// The strokes of a layer on a transparent canvas.
    public static func picture(of strokes: [Stroke]) throws -> SceneTasks.Image {
        var layer = SceneTasks.Layer()
        layer.strokes = strokes
        let tasks = SceneTasks([layer], output: canvas, background: .transparent, format: .rgba)
        var pixels: [UInt8] = []
        try tasks.render(with: TileRenderer()) { pixels += $0 }
        return SceneTasks.Image(format: .rgba8, samples: pixels)
    }

    /// A layer's mask, 8 bits a pixel; nil when it has none.
    public static func mask(of layer: Layer) throws -> SceneTasks.Image? {
        guard let mask = layer.maskImage else { return nil }
        var samples: [UInt8] = []
        let info = try PNGDecoder.decode(mask.bytes, as: .mask, place: Place(file: "mask")) { chunk in
            switch chunk.content {
            case .samples(let bytes): samples += bytes
            case .constant(let value):
                samples += [UInt8](repeating: UInt8(value & 255), count: chunk.rows.count * mask.size.width)
            }
        }
        guard info.format == .mask8, info.size == canvas else {
            throw EngineError.internalError("the masks of benchmark scenes are gray and of \(canvas) pixels")
        }
        return SceneTasks.Image(format: .mask8, samples: samples)
    }

    /// The layers of a scene as pictures to composite: the strokes are content.
    public static func flatLayers(_ project: Project) throws -> [SceneTasks.Layer] {
        try project.layers.drawingOrder.map { index in
            let layer = project.layers[index]
            var flat = SceneTasks.Layer()
            flat.opacity = layer.opacity
            flat.blendMode = layer.blendMode
            flat.mask = try mask(of: layer)
            flat.content = try picture(of: layer.strokes)
            return flat
        }
    }

    /// The finished picture of a scene: RGB, rows without padding.
    public static func finished(_ project: Project, output: PixelSize) throws -> [UInt8] {
        let layers = try project.layers.drawingOrder.map { index in
            let layer = project.layers[index]
            var whole = SceneTasks.Layer()
            whole.opacity = layer.opacity
            whole.blendMode = layer.blendMode
            whole.mask = try mask(of: layer)
            whole.strokes = layer.strokes
            return whole
        }
        var pixels: [UInt8] = []
        try SceneTasks(layers, output: output).render(with: TileRenderer()) { pixels += $0 }
        return pixels
    }
}
