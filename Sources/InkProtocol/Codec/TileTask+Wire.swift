import InkCodecs
package import InkEngine

extension BlendMode {
    /// The numbers of modes on the wire: never reused, never renumbered.
    static let wireOrder: [BlendMode] = [
        .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight,
        .difference, .exclusion, .hue, .saturation, .color, .luminosity, .plus, .linearDodge, .linearBurn,
        .linearLight, .vividLight, .pinLight, .hardMix, .subtract, .divide, .darkerColor, .lighterColor,
    ]
}

extension StrokeSelection: WireValue {
    /// Indices are encoded as the first one and the differences minus one, so they are always ascending.
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let block = try BlockID(from: &reader)
        let count = try reader.count("stroke indices", elementBytes: 1)
        var indices: [Int] = []
        indices.reserveCapacity(count)
        var next = 0
        for _ in 0..<count {
            let index = next + (try reader.integer("stroke index", in: 0...Int(UInt32.max)))
            guard index <= Int(UInt32.max) else {
                throw .overLimit(what: "stroke index", found: UInt64(index), limit: UInt64(UInt32.max))
            }
            indices.append(index)
            next = index + 1
        }
        self.init(block: block, indices: indices)
    }

    package func write(to writer: inout ByteWriter) {
        block.write(to: &writer)
        writer.integer(indices.count)
        var next = 0
        for index in indices {
            writer.integer(index - next)
            next = index + 1
        }
    }
}

/// The tree of elements as a flat list in drawing order: a group's head stands before its elements and says how many
/// follow.
private enum LeastBytes {
    /// An element without anything, and strokes of which nothing is chosen.
    static let element = 14
    static let strokes = 33
}

extension ByteReader {
    /// A tree of elements: at most as many and as deep as the limits allow.
    package mutating func layers<Image: WireValue, Strokes: WireValue>() throws(ProtocolError)
        -> [SceneLayer<Image, Strokes>]
    {
        var left = ProtocolLimits.layers
        return try layers(depth: 1, left: &left)
    }

    /// - Parameters:
    ///   - depth: of these elements, from 1.
    ///   - left: how many elements may still come.
    private mutating func layers<Image: WireValue, Strokes: WireValue>(
        depth: Int, left: inout Int
    ) throws(ProtocolError) -> [SceneLayer<Image, Strokes>] {
        let count = try count("layers", elementBytes: LeastBytes.element, limit: left)
        guard count == 0 || depth <= ProtocolLimits.layerDepth else {
            throw .overLimit(
                what: "depth of layers", found: UInt64(depth), limit: UInt64(ProtocolLimits.layerDepth))
        }
        left -= count
        var layers: [SceneLayer<Image, Strokes>] = []
        layers.reserveCapacity(count)
        for _ in 0..<count { layers.append(try layer(depth: depth, left: &left)) }
        return layers
    }

    private mutating func layer<Image: WireValue, Strokes: WireValue>(
        depth: Int, left: inout Int
    ) throws(ProtocolError) -> SceneLayer<Image, Strokes> {
        let opacity = try double("opacity", in: 0...1)
        let blendMode = try entry("blend mode", of: BlendMode.wireOrder)
        let mask: Image? = try optional("has mask")
        let maskShapes: [Strokes]? =
            try bool("has a mask of shapes") ? try array("shapes of a mask", elementBytes: LeastBytes.strokes) : nil
        let kind: SceneLayer<Image, Strokes>.Kind
        let number = try uint8("kind of element")
        switch number {
        case 0:
            let content: Image? = try optional("has content")
            kind = .marks(content, try array("strokes of a layer", elementBytes: LeastBytes.strokes))
        case 1:
            let start = offset
            let paint = try Paint(from: &self)
            if case .pattern = paint {
                throw .badValue(what: "fill", offset: start, found: "a pattern", expected: "a colour or a gradient")
            }
            kind = .fill(paint)
        case 2:
            let group: SceneGroup = try enumeration("group")
            kind = .group(group, try layers(depth: depth + 1, left: &left))
        default:
            throw .badValue(
                what: "kind of element", offset: offset - 1, found: "\(number)", expected: "0 to 2")
        }
        return SceneLayer(opacity: opacity, blendMode: blendMode, mask: mask, maskShapes: maskShapes, kind: kind)
    }
}

extension ByteWriter {
    package mutating func layers(_ layers: [SceneLayer<some WireValue, some WireValue>]) {
        integer(layers.count)
        for layer in layers { self.layer(layer) }
    }

    private mutating func layer(_ layer: SceneLayer<some WireValue, some WireValue>) {
        double(layer.opacity)
        entry(layer.blendMode, of: BlendMode.wireOrder)
        optional(layer.mask)
        bool(layer.maskShapes != nil)
        if let shapes = layer.maskShapes { array(shapes) }
        switch layer.kind {
        case .marks(let content, let strokes):
            uint8(0)
            optional(content)
            array(strokes)
        case .fill(let paint):
            uint8(1)
            paint.write(to: &self)
        case .group(let group, let children):
            uint8(2)
            uint8(group.rawValue)
            layers(children)
        }
    }
}

extension PictureEncoding: WireValue {
    static let leastBytes = 14

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init(
            format: PictureFormat(rawValue: try reader.uint8("picture format")),
            effort: try reader.enumeration("effort"),
            quality: try reader.optionalInteger("quality", upTo: PictureEncoding.qualities.upperBound),
            chroma: try reader.optionalEnumeration("chroma sampling"))
        isProgressive = try reader.bool("progressive")
        isLossless = try reader.bool("lossless")
        compression = try reader.optionalEnumeration("compression")
        bleed = try reader.optionalInteger("bleed", upTo: PictureEncoding.bleeds.upperBound)
        tileSize = try reader.optionalInteger("tile size", upTo: PictureEncoding.tileSizes[2])
        tileOverlap = try reader.integer("tile overlap", in: PictureEncoding.tileOverlaps)
        bytesMax = try reader.optionalInteger("most bytes", upTo: PictureEncoding.bounds.upperBound)
        plot.keepsHidden = try reader.bool("hidden lines")
        plot.pens = try reader.optionalInteger("pens", upTo: PlotSettings.penCounts.upperBound)
        if let spacing = try reader.optionalInteger("hatch spacing", upTo: PlotSettings.spacings.upperBound) {
            plot.hatch = PlotSettings.Hatch(
                spacing: spacing, angle: try reader.integer("hatch angle", in: PlotSettings.angles))
        }
    }

    package func write(to writer: inout ByteWriter) {
        writer.uint8(format.rawValue)
        writer.uint8(effort.rawValue)
        writer.optionalInteger(quality, upTo: PictureEncoding.qualities.upperBound)
        writer.uint8(chroma?.rawValue ?? 0)
        writer.bool(isProgressive)
        writer.bool(isLossless)
        writer.uint8(compression?.rawValue ?? 0)
        writer.optionalInteger(bleed, upTo: PictureEncoding.bleeds.upperBound)
        writer.optionalInteger(tileSize, upTo: PictureEncoding.tileSizes[2])
        writer.integer(tileOverlap)
        writer.optionalInteger(bytesMax, upTo: PictureEncoding.bounds.upperBound)
        writer.bool(plot.keepsHidden)
        writer.optionalInteger(plot.pens, upTo: PlotSettings.penCounts.upperBound)
        writer.optionalInteger(plot.hatch?.spacing, upTo: PlotSettings.spacings.upperBound)
        if let hatch = plot.hatch { writer.integer(hatch.angle) }
    }
}

extension PieceEncoding: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init(
            try PictureEncoding(from: &reader),
            others: try reader.array(
                "further files", elementBytes: PictureEncoding.leastBytes, limit: PictureSet.countMax - 1),
            isLast: try reader.bool("last band"))
    }

    package func write(to writer: inout ByteWriter) {
        picture.write(to: &writer)
        writer.array(others)
        writer.bool(isLast)
    }
}

/// Size, v x, v y, v magnification.
extension PictureFrame: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let edges = 0...ProtocolLimits.edgePixels
        let size = try PixelSize(from: &reader)
        let x = try reader.integer("x of a drawing", in: edges)
        let y = try reader.integer("y of a drawing", in: edges)
        self.init(
            size: size, x: x, y: y, magnification: try reader.integer("magnification", in: 1...edges.upperBound))
    }

    package func write(to writer: inout ByteWriter) {
        size.write(to: &writer)
        writer.integer(x)
        writer.integer(y)
        writer.integer(magnification)
    }
}

extension ByteReader {
    /// The frame of a drawing of this size, which lies inside of it.
    package mutating func frame(of drawing: PixelSize) throws(ProtocolError) -> PictureFrame? {
        let start = offset
        guard let frame: PictureFrame = try optional("has frame") else { return nil }
        guard frame.holds(drawing) else {
            throw .badValue(what: "frame", offset: start, found: "\(frame)", expected: "room for \(drawing)")
        }
        return frame
    }
}

extension TileTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let canvas = try CanvasSize(from: &reader)
        let output = try PixelSize(from: &reader)
        let frame = try reader.frame(of: output)
        let picture = frame?.size ?? output
        let start = reader.offset
        let rect = try PixelRect(from: &reader)
        guard rect.lies(in: picture) else {
            throw .badValue(what: "tile", offset: start, found: "\(rect)", expected: "a rectangle inside \(picture)")
        }
        let patternOrigin = try Point(from: &reader)
        let background = try RGBA8(from: &reader)
        let baseImage: ImageSlice? = try reader.optional("has base image")
        let layers: [TileLayer] = try reader.layers()
        let format: PixelFormat = try reader.enumeration("output format")
        let delivery: TileDelivery
        let kind = try reader.uint8("delivery")
        switch kind {
        case 0: delivery = .pixels
        case 1: delivery = .band(try PieceEncoding(from: &reader))
        case 2:
            let encoding = try PieceEncoding(from: &reader)
            let halvings = try reader.integer("halvings", in: 0...TileDelivery.halvingsMax)
            delivery = .bandAndPixels(encoding, halvings: halvings)
        default: throw .badValue(what: "delivery", offset: reader.offset - 1, found: "\(kind)", expected: "0 to 2")
        }
        self.init(
            canvas: canvas, output: output, rect: rect, background: background, baseImage: baseImage, layers: layers,
            pixelFormat: format, delivery: delivery, patternOrigin: patternOrigin, frame: frame)
    }

    package func write(to writer: inout ByteWriter) {
        canvas.write(to: &writer)
        output.write(to: &writer)
        writer.optional(frame)
        rect.write(to: &writer)
        patternOrigin.write(to: &writer)
        background.write(to: &writer)
        writer.optional(baseImage)
        writer.layers(layers)
        writer.uint8(pixelFormat.rawValue)
        switch delivery {
        case .pixels: writer.uint8(0)
        case .band(let encoding):
            writer.uint8(1)
            encoding.write(to: &writer)
        case .bandAndPixels(let encoding, let halvings):
            writer.uint8(2)
            encoding.write(to: &writer)
            writer.integer(halvings)
        }
    }
}
