import InkCodecs
import InkEngine

extension BlendMode {
    /// The numbers of modes on the wire: never reused, never renumbered.
    static let wireOrder: [BlendMode] = [
        .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight,
        .difference, .exclusion, .hue, .saturation, .color, .luminosity, .plus, .linearDodge, .linearBurn,
        .linearLight, .vividLight, .pinLight, .hardMix, .subtract, .divide, .darkerColor, .lighterColor,
    ]

    /// The mode of a number that has just been read.
    static func read(_ number: UInt8, from reader: ByteReader) throws(ProtocolError) -> BlendMode {
        guard wireOrder.indices.contains(Int(number)) else {
            throw .badValue(
                what: "blend mode", offset: reader.offset - 1, found: "\(number)",
                expected: "0 to \(wireOrder.count - 1)")
        }
        return wireOrder[Int(number)]
    }

    /// Every case is in the table; a test checks that.
    var wireNumber: UInt8 { UInt8(BlendMode.wireOrder.firstIndex(of: self)!) }
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

/// The tree of elements as a flat list in drawing order: a group's head stands before its elements and says how many
/// follow. Bits 5 and 6 of the byte with the blend mode say what an element is.
extension TileLayer {
    private static let kindBits: UInt8 = 0b0110_0000
    private static let fillBits: UInt8 = 0b0010_0000
    private static let groupBits: UInt8 = 0b0100_0000

    /// - Parameters:
    ///   - depth: of this element, from 1.
    ///   - left: how many elements may still come, this one included.
    fileprivate init(from reader: inout ByteReader, depth: Int, left: inout Int) throws(ProtocolError) {
        guard depth <= ProtocolLimits.layerDepth else {
            throw .overLimit(
                what: "depth of layers", found: UInt64(depth), limit: UInt64(ProtocolLimits.layerDepth))
        }
        guard left > 0 else {
            throw .overLimit(
                what: "layers", found: UInt64(ProtocolLimits.layers) + 1, limit: UInt64(ProtocolLimits.layers))
        }
        left -= 1
        let opacity = try reader.double("opacity", in: 0...1)
        let head = try reader.uint8("blend mode")
        let blendMode = try BlendMode.read(head & ~Self.kindBits, from: reader)
        let mask: ImageSlice? = try reader.optional("has mask")
        self.init(opacity: opacity, blendMode: blendMode, mask: mask, kind: .fill(.transparent))
        switch head & Self.kindBits {
        case 0:
            let content: ImageSlice? = try reader.optional("has content")
            kind = .marks(content, try reader.array("stroke selections", elementBytes: 33))
        case Self.fillBits: kind = .fill(try RGBA8(from: &reader))
        case Self.groupBits:
            let group: SceneGroup = try reader.enumeration("group")
            let count = try reader.count("elements", elementBytes: 11, limit: left)
            var children: [TileLayer] = []
            children.reserveCapacity(count)
            for _ in 0..<count {
                children.append(try TileLayer(from: &reader, depth: depth + 1, left: &left))
            }
            kind = .group(group, children)
        default:
            throw .badValue(
                what: "kind of element", offset: reader.offset, found: "\(head)", expected: "a layer, fill or group")
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.double(opacity)
        let bits: UInt8 =
            switch kind {
            case .marks: 0
            case .fill: Self.fillBits
            case .group: Self.groupBits
            }
        writer.uint8(blendMode.wireNumber | bits)
        writer.optional(mask)
        switch kind {
        case .marks(let content, let strokes):
            writer.optional(content)
            writer.array(strokes)
        case .fill(let color): color.write(to: &writer)
        case .group(let group, let children):
            writer.uint8(group.rawValue)
            writer.integer(children.count)
            for child in children { child.write(to: &writer) }
        }
    }
}

extension PictureEncoding: WireValue {
    /// Written instead of an effort: a format other than PNG follows.
    private static let otherFormat: UInt8 = 3
    /// Added to the chroma sampling.
    private static let progressiveFlag: UInt8 = 4
    private static let losslessFlag: UInt8 = 8
    /// A bleed follows; in formats with tiles, the sum of their size, 0 for the usual one, and their overlap.
    private static let lengthFlag: UInt8 = 128
    /// Added to the effort of a format that follows: the most bytes come last.
    private static let boundFlag: UInt8 = 128
    private static let tiledFormats: [PictureFormat] = [.szi, .dzi, .iiif]

    init(from reader: inout ByteReader) throws(ProtocolError) {
        let first = try reader.uint8("effort")
        guard first == PictureEncoding.otherFormat else {
            self.init(effort: try reader.enumeration("effort", first))
            return
        }
        let format = PictureFormat(rawValue: try reader.uint8("picture format"))
        let second = try reader.uint8("effort")
        let effort: EncodingEffort = try reader.enumeration("effort", second & ~PictureEncoding.boundFlag)
        let quality = try reader.integer("quality", in: 0...PictureEncoding.qualities.upperBound)
        // Bits 0 and 1 chroma, 2 progressive, 3 lossless, 4 to 6 compression, 7 whether a bleed or a tile size follows.
        let choices = try reader.uint8("chroma sampling and compression")
        let (chroma, compression) = (choices & 0b11, choices >> 4 & 0b111)
        self.init(
            format: format, effort: effort, quality: quality == 0 ? nil : quality,
            chroma: chroma == 0 ? nil : try reader.enumeration("chroma sampling", chroma),
            compression: compression == 0 ? nil : try reader.enumeration("compression", compression))
        if choices & PictureEncoding.lengthFlag != 0 {
            if PictureEncoding.tiledFormats.contains(format) {
                // Sizes are even, and the overlap is 0 or 1.
                let sum = try reader.integer("tile size and overlap", in: 1...(PictureEncoding.tileSizes[2] + 1))
                tileOverlap = sum & 1
                tileSize = sum == tileOverlap ? nil : sum - tileOverlap
            } else {
                bleed = try reader.integer("bleed", in: PictureEncoding.bleeds)
            }
        }
        if second & PictureEncoding.boundFlag != 0 {
            bytesMax = try reader.integer("most bytes", in: PictureEncoding.bounds)
        }
        isProgressive = choices & PictureEncoding.progressiveFlag != 0
        isLossless = choices & PictureEncoding.losslessFlag != 0
    }

    func write(to writer: inout ByteWriter) {
        let tiles = (tileSize ?? 0) + tileOverlap
        let length = PictureEncoding.tiledFormats.contains(format) ? (tiles == 0 ? nil : tiles) : bleed
        if self != PictureEncoding(effort: effort) {
            writer.uint8(PictureEncoding.otherFormat)
            writer.uint8(format.rawValue)
            writer.uint8(effort.rawValue | (bytesMax == nil ? 0 : PictureEncoding.boundFlag))
            writer.integer(max(0, min(PictureEncoding.qualities.upperBound, quality ?? 0)))
            writer.uint8(
                (chroma?.rawValue ?? 0) | (isProgressive ? PictureEncoding.progressiveFlag : 0)
                    | (isLossless ? PictureEncoding.losslessFlag : 0) | (compression?.rawValue ?? 0) << 4
                    | (length == nil ? 0 : PictureEncoding.lengthFlag))
            if let length { writer.integer(length) }
            if let bytesMax {
                writer.integer(max(PictureEncoding.bounds.lowerBound, min(PictureEncoding.bounds.upperBound, bytesMax)))
            }
        } else {
            writer.uint8(effort.rawValue)
        }
    }
}

extension PieceEncoding: WireValue {
    /// 1 last band, 2 further files follow: their number and their encodings.
    init(from reader: inout ByteReader) throws(ProtocolError) {
        let picture = try PictureEncoding(from: &reader)
        let flags = try reader.uint8("last band")
        guard flags <= 3 else {
            throw .badValue(what: "last band", offset: reader.offset - 1, found: "\(flags)", expected: "0 to 3")
        }
        self.init(picture, isLast: flags & 1 != 0)
        guard flags & 2 != 0 else { return }
        let count = try reader.integer("further files", in: 1...(PictureSet.countMax - 1))
        for _ in 0..<count { others.append(try PictureEncoding(from: &reader)) }
    }

    func write(to writer: inout ByteWriter) {
        picture.write(to: &writer)
        writer.uint8((isLast ? 1 : 0) | (others.isEmpty ? 0 : 2))
        guard !others.isEmpty else { return }
        writer.integer(others.count)
        for other in others { other.write(to: &writer) }
    }
}

extension TileTask: WireValue {
    /// Set in the byte of the output format: the origin of patterns follows.
    private static let hasOrigin: UInt8 = 2

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
        let count = try reader.count("layers", elementBytes: 11, limit: ProtocolLimits.layers)
        var left = ProtocolLimits.layers
        var layers: [TileLayer] = []
        layers.reserveCapacity(count)
        for _ in 0..<count { layers.append(try TileLayer(from: &reader, depth: 1, left: &left)) }
        let formatByte = try reader.uint8("output format")
        let format: PixelFormat = try reader.enumeration("output format", formatByte & ~TileTask.hasOrigin)
        let patternOrigin = formatByte & TileTask.hasOrigin == 0 ? Point(x: 0, y: 0) : try Point(from: &reader)
        let delivery: TileDelivery
        let kind = try reader.uint8("delivery")
        switch kind {
        case 0: delivery = .pixels
        case 1: delivery = .band(try PieceEncoding(from: &reader))
        case 2: delivery = .bandAndPixels(try PieceEncoding(from: &reader))
        case 3:
            let halvings = try reader.integer("halvings", in: 1...TileDelivery.halvingsMax)
            delivery = .bandAndPixels(try PieceEncoding(from: &reader), halvings: halvings)
        default: throw .badValue(what: "delivery", offset: reader.offset - 1, found: "\(kind)", expected: "0 to 3")
        }
        self.init(
            canvas: canvas, output: output, rect: rect, background: background, baseImage: baseImage, layers: layers,
            pixelFormat: format, delivery: delivery, patternOrigin: patternOrigin)
    }

    func write(to writer: inout ByteWriter) {
        canvas.write(to: &writer)
        output.write(to: &writer)
        rect.write(to: &writer)
        background.write(to: &writer)
        writer.optional(baseImage)
        writer.integer(layers.count)
        for layer in layers { layer.write(to: &writer) }
        if patternOrigin == Point(x: 0, y: 0) {
            writer.uint8(pixelFormat.rawValue)
        } else {
            writer.uint8(pixelFormat.rawValue | TileTask.hasOrigin)
            patternOrigin.write(to: &writer)
        }
        switch delivery {
        case .pixels: writer.uint8(0)
        case .band(let encoding):
            writer.uint8(1)
            encoding.write(to: &writer)
        case .bandAndPixels(let encoding, let halvings):
            writer.uint8(halvings == 0 ? 2 : 3)
            if halvings > 0 { writer.integer(halvings) }
            encoding.write(to: &writer)
        }
    }
}
