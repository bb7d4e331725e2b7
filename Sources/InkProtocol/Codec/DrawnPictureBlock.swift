public import InkCodecs
public import InkEngine

/// What a file of lines and areas shows, on the wire, without its marks and images: only the numbers of a layer's
/// strokes and shapes count, and whether it has images.
///
/// The layout is in docs/protocol.md.
public struct DrawnPictureBlock: Sendable {
    public var picture: DrawnPicture

    public init(_ picture: DrawnPicture) { self.picture = picture }

    private struct Flags: OptionSet {
        var rawValue: UInt8

        static let fillsSuggested = Flags(rawValue: 1)
        static let baseImage = Flags(rawValue: 2)
        static let view = Flags(rawValue: 4)
        static let dotsPerInch = Flags(rawValue: 8)
        static let all: Flags = [.fillsSuggested, .baseImage, .view, .dotsPerInch]
    }

    /// The strokes that belong to it, in the order in which they are counted.
    public var strokes: [Stroke] { picture.layers.flattened().flatMap(\.layer.strokes) }

    /// The shapes that belong to it likewise: of each element those of its mask, then its own.
    public var shapes: [Shape] {
        picture.layers.flattened().flatMap { ($0.layer.maskShapes ?? []) + $0.layer.shapes }
    }

    /// The content of the block, not compressed.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        picture.encoding.write(to: &writer)
        picture.canvas.write(to: &writer)
        picture.output.write(to: &writer)
        picture.background.write(to: &writer)
        var flags: Flags = []
        if picture.fillsSuggested { flags.insert(.fillsSuggested) }
        if picture.hasBaseImage { flags.insert(.baseImage) }
        if picture.viewport != nil { flags.insert(.view) }
        if picture.dotsPerInch != nil { flags.insert(.dotsPerInch) }
        writer.uint8(flags.rawValue)
        if let view = picture.viewport {
            view.center.write(to: &writer)
            writer.double(view.zoom)
            writer.double(view.rotation)
        }
        if let dotsPerInch = picture.dotsPerInch { writer.double(dotsPerInch) }
        writer.text(picture.name, limit: ProtocolLimits.textBytes)
        picture.description.write(to: &writer)
        let layers = picture.layers
        writer.integer(layers.count)
        for layer in layers { layer.writeDrawn(to: &writer) }
        return writer.bytes
    }

    /// Decodes a block's content; every count and value is checked.
    ///
    /// - Parameters:
    ///   - strokes: of all layers, one after the other.
    ///   - shapes: of all elements, as in `shapes`.
    /// - Throws: the errors of `ByteReader`, `trailingBytes`.
    public init(decoding content: [UInt8], strokes: [Stroke], shapes: [Shape] = []) throws(ProtocolError) {
        var reader = ByteReader(content)
        let encoding = try PictureEncoding(from: &reader)
        let canvas = try CanvasSize(from: &reader)
        let output = try PixelSize(from: &reader)
        let background = try RGBA8(from: &reader)
        let flags = try reader.flags("drawn picture's flags", of: Flags.all)
        var viewport: Viewport?
        if flags.contains(.view) {
            let center = try Point(from: &reader)
            let zoom = try reader.double("zoom", in: Viewport.zooms)
            let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
            viewport = Viewport(
                center: center, zoom: zoom, rotation: try reader.double("rotation", in: finite), size: canvas)
        }
        let dotsPerInch =
            flags.contains(.dotsPerInch)
            ? try reader.double("dots per inch", in: PictureOptions.dotsPerInchRange) : nil
        let name = try reader.text("name", limit: ProtocolLimits.textBytes)
        let description = try PictureDescription(from: &reader)
        var left = DrawnLayers(strokes: strokes[...], shapes: shapes[...])
        let layers = try left.layers(from: &reader, depth: 1)
        try reader.finish("drawn picture")
        for (what, count, left) in [
            ("strokes", strokes.count, left.strokes.count), ("shapes", shapes.count, left.shapes.count),
        ] where left > 0 {
            throw .badValue(
                what: "drawn picture's \(what)", offset: content.count, found: "\(count)", expected: "\(count - left)")
        }
        picture = DrawnPicture(
            layers, name: name, encoding: encoding, canvas: canvas, output: output, background: background,
            fillsSuggested: flags.contains(.fillsSuggested))
        picture.viewport = viewport
        picture.hasBaseImage = flags.contains(.baseImage)
        picture.dotsPerInch = dotsPerInch
        picture.description = description
    }
}

/// What an element has, beside its kind.
private struct DrawnLayerFlags: OptionSet {
    var rawValue: UInt8

    static let clipped = DrawnLayerFlags(rawValue: 1)
    static let mask = DrawnLayerFlags(rawValue: 2)
    static let content = DrawnLayerFlags(rawValue: 4)
    static let pattern = DrawnLayerFlags(rawValue: 8)
    static let passThrough = DrawnLayerFlags(rawValue: 16)
    static let maskShapes = DrawnLayerFlags(rawValue: 32)
    static let nearest = DrawnLayerFlags(rawValue: 64)
    /// Content, its filter and pattern of layers only, passing through of groups only.
    static let ofLayers: DrawnLayerFlags = [.clipped, .mask, .maskShapes, .content, .pattern, .nearest]
    static let ofGroups: DrawnLayerFlags = [.clipped, .mask, .maskShapes, .passThrough]
    static let ofFills: DrawnLayerFlags = [.clipped, .mask, .maskShapes]
}

extension Layer {
    fileprivate func writeDrawn(to writer: inout ByteWriter) {
        let number: UInt8
        var flags: DrawnLayerFlags = []
        if isClipped { flags.insert(.clipped) }
        if maskImage != nil { flags.insert(.mask) }
        if maskShapes != nil { flags.insert(.maskShapes) }
        switch kind {
        case .layer:
            number = 0
            if contentImage != nil { flags.insert(.content) }
            if suggestedPattern != nil { flags.insert(.pattern) }
            if contentFilter == .nearest { flags.insert(.nearest) }
        case .fill: number = 1
        case .group(_, let isPassThrough):
            number = 2
            if isPassThrough { flags.insert(.passThrough) }
        }
        writer.uint8(number)
        writer.uint8(flags.rawValue)
        writer.double(opacity)
        writer.entry(blendMode, of: BlendMode.wireOrder)
        writer.text(name.isEmpty ? id : name, limit: ProtocolLimits.blockContentBytes)
        if let maskShapes { writer.integer(maskShapes.count) }
        switch kind {
        case .layer:
            if let pattern = suggestedPattern {
                writer.entry(pattern.type, of: BrushType.wireOrder)
                writer.double(pattern.rotation)
                writer.double(pattern.spacing)
                pattern.color.write(to: &writer)
            }
            writer.integer(shapes.count)
            writer.integer(strokes.count)
        case .fill(let paint): paint.write(to: &writer)
        case .group(let children, _):
            writer.integer(children.count)
            for child in children { child.writeDrawn(to: &writer) }
        }
    }
}

/// Reads the elements of a drawn picture.
private struct DrawnLayers {
    /// Those that no layer has yet.
    var strokes: ArraySlice<Stroke>
    var shapes: ArraySlice<Shape>
    private var layersLeft = ProtocolLimits.layers
    /// An element without anything.
    private static let leastBytes = 13
    /// Stands for one that is only counted.
    private static let image = EncodedImage(
        bytes: [], header: ImageHeader(size: PixelSize(width: 1, height: 1), isHeldWhole: false), place: "")

    init(strokes: ArraySlice<Stroke>, shapes: ArraySlice<Shape>) {
        self.strokes = strokes
        self.shapes = shapes
    }

    /// - Parameter depth: of these elements, from 1.
    mutating func layers(from reader: inout ByteReader, depth: Int) throws(ProtocolError) -> [Layer] {
        guard depth <= ProtocolLimits.layerDepth else {
            throw .overLimit(
                what: "depth of layers", found: UInt64(depth), limit: UInt64(ProtocolLimits.layerDepth))
        }
        let count = try reader.count("layers", elementBytes: Self.leastBytes, limit: layersLeft)
        layersLeft -= count
        var layers: [Layer] = []
        layers.reserveCapacity(count)
        for _ in 0..<count { layers.append(try layer(from: &reader, depth: depth)) }
        return layers
    }

    private mutating func layer(from reader: inout ByteReader, depth: Int) throws(ProtocolError) -> Layer {
        let kind = try reader.uint8("kind of element")
        let possible = [DrawnLayerFlags.ofLayers, .ofFills, .ofGroups]
        guard possible.indices.contains(Int(kind)) else {
            throw .badValue(what: "kind of element", offset: reader.offset - 1, found: "\(kind)", expected: "0 to 2")
        }
        let flags = try reader.flags("element's flags", of: possible[Int(kind)])
        var layer = Layer(opacity: try reader.double("opacity", in: 0...1))
        layer.blendMode = try reader.entry("blend mode", of: BlendMode.wireOrder)
        layer.isClipped = flags.contains(.clipped)
        if flags.contains(.mask) { layer.maskImage = Self.image }
        layer.name = try reader.text("layer's name", limit: ProtocolLimits.blockContentBytes)
        if flags.contains(.maskShapes) {
            layer.maskShapes = Self.first(&shapes, try reader.integer("shapes of a mask", in: 0...shapes.count))
        }
        switch kind {
        case 1: layer.kind = .fill(try Paint(from: &reader))
        case 2:
            layer.kind = .group(
                try layers(from: &reader, depth: depth + 1), isPassThrough: flags.contains(.passThrough))
        default:
            if flags.contains(.content) { layer.contentImage = Self.image }
            if flags.contains(.pattern) { layer.suggestedPattern = try Self.pattern(from: &reader) }
            if flags.contains(.nearest) { layer.contentFilter = .nearest }
            layer.shapes = Self.first(&shapes, try reader.integer("shapes", in: 0...shapes.count))
            layer.strokes = Self.first(&strokes, try reader.integer("strokes", in: 0...strokes.count))
        }
        return layer
    }

    /// Takes so many off.
    private static func first<Mark>(_ marks: inout ArraySlice<Mark>, _ count: Int) -> [Mark] {
        defer { marks = marks.dropFirst(count) }
        return Array(marks.prefix(count))
    }

    private static func pattern(from reader: inout ByteReader) throws(ProtocolError) -> SuggestedPattern {
        let type = try reader.entry("pattern", of: BrushType.wireOrder)
        let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        let rotation = try reader.double("rotation", in: finite)
        let spacing = try reader.double(
            "spacing", in: Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude)
        return SuggestedPattern(
            type: type, rotation: rotation, spacing: spacing, color: try RGBA8(from: &reader))
    }
}
