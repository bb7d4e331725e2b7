import InkEngine

extension BlendMode {
    /// The numbers of modes on the wire: never reused, never renumbered.
    static let wireOrder: [BlendMode] = [
        .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight,
        .difference, .exclusion, .hue, .saturation, .color, .luminosity, .plus, .linearDodge, .linearBurn,
        .linearLight, .vividLight, .pinLight, .hardMix, .subtract, .divide, .darkerColor, .lighterColor,
    ]

    static func read(from reader: inout ByteReader) throws(ProtocolError) -> BlendMode {
        let value = Int(try reader.uint8("blend mode"))
        guard wireOrder.indices.contains(value) else {
            throw .badValue(
                what: "blend mode", offset: reader.offset - 1, found: "\(value)",
                expected: "0 to \(wireOrder.count - 1)")
        }
        return wireOrder[value]
    }

    func write(to writer: inout ByteWriter) {
        // Every case is in the table; a test checks it.
        writer.uint8(UInt8(BlendMode.wireOrder.firstIndex(of: self)!))
    }
}

extension StrokeSelection: WireValue {
    /// Indices are encoded as the first one and the differences minus one, so they are always ascending.
    init(from reader: inout ByteReader) throws(ProtocolError) {
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

    func write(to writer: inout ByteWriter) {
        block.write(to: &writer)
        writer.integer(indices.count)
        var next = 0
        for index in indices {
            writer.integer(index - next)
            next = index + 1
        }
    }
}

extension SceneLayer: WireValue where Image == ImageSlice, Strokes == StrokeSelection {
    init(from reader: inout ByteReader) throws(ProtocolError) {
        let opacity = try reader.double("opacity", in: 0...1)
        let blendMode = try BlendMode.read(from: &reader)
        let mask: ImageSlice? = try reader.optional("has mask")
        let content: ImageSlice? = try reader.optional("has content")
        let strokes: [StrokeSelection] = try reader.array("stroke selections", elementBytes: 33)
        self.init(opacity: opacity, blendMode: blendMode, mask: mask, content: content, strokes: strokes)
    }

    func write(to writer: inout ByteWriter) {
        writer.double(opacity)
        blendMode.write(to: &writer)
        writer.optional(mask)
        writer.optional(content)
        writer.array(strokes)
    }
}

extension PictureEncoding: WireValue {
    /// Written instead of an effort: a format other than PNG follows.
    private static let otherFormat: UInt8 = 3

    init(from reader: inout ByteReader) throws(ProtocolError) {
        let first = try reader.uint8("effort")
        guard first == PictureEncoding.otherFormat else {
            self.init(effort: try reader.enumeration("effort", first))
            return
        }
        let format = PictureFormat(rawValue: try reader.uint8("picture format"))
        let effort: EncodingEffort = try reader.enumeration("effort")
        let quality = try reader.integer("quality", in: 0...PictureEncoding.qualities.upperBound)
        let chroma = try reader.uint8("chroma sampling")
        self.init(
            format: format, effort: effort, quality: quality == 0 ? nil : quality,
            chroma: chroma == 0 ? nil : try reader.enumeration("chroma sampling", chroma))
    }

    func write(to writer: inout ByteWriter) {
        if format != .png || quality != nil || chroma != nil {
            writer.uint8(PictureEncoding.otherFormat)
            writer.uint8(format.rawValue)
            writer.uint8(effort.rawValue)
            writer.integer(max(0, min(PictureEncoding.qualities.upperBound, quality ?? 0)))
            writer.uint8(chroma?.rawValue ?? 0)
        } else {
            writer.uint8(effort.rawValue)
        }
    }
}

extension PieceEncoding: WireValue {
    init(from reader: inout ByteReader) throws(ProtocolError) {
        let picture = try PictureEncoding(from: &reader)
        self.init(picture, isLast: try reader.bool("last band"))
    }

    func write(to writer: inout ByteWriter) {
        picture.write(to: &writer)
        writer.bool(isLast)
    }
}

extension TileTask: WireValue {
    init(from reader: inout ByteReader) throws(ProtocolError) {
        let canvas = try CanvasSize(from: &reader)
        let output = try PixelSize(from: &reader)
        let start = reader.offset
        let rect = try PixelRect(from: &reader)
        guard rect.lies(in: output) else {
            throw .badValue(what: "tile", offset: start, found: "\(rect)", expected: "a rectangle inside \(output)")
        }
        let background = try RGBA8(from: &reader)
        let baseImage: ImageSlice? = try reader.optional("has base image")
        let layers: [TileLayer] = try reader.array("layers", elementBytes: 12, limit: ProtocolLimits.layers)
        let format: PixelFormat = try reader.enumeration("output format")
        let isBand = try reader.bool("delivery")
        let delivery: TileDelivery = isBand ? .band(try PieceEncoding(from: &reader)) : .pixels
        guard !isBand || rect.width == output.width else {
            throw .badValue(
                what: "band", offset: start, found: "\(rect)", expected: "the picture's width, \(output.width)")
        }
        self.init(
            canvas: canvas, output: output, rect: rect, background: background, baseImage: baseImage, layers: layers,
            pixelFormat: format, delivery: delivery)
    }

    func write(to writer: inout ByteWriter) {
        canvas.write(to: &writer)
        output.write(to: &writer)
        rect.write(to: &writer)
        background.write(to: &writer)
        writer.optional(baseImage)
        writer.array(layers)
        writer.uint8(pixelFormat.rawValue)
        switch delivery {
        case .pixels: writer.bool(false)
        case .band(let encoding):
            writer.bool(true)
            encoding.write(to: &writer)
        }
    }
}
