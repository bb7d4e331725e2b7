package import InkCodecs
import InkEngine

/// u8: 0 whole, 1 thumbnail, 2 background, 3 base image, 4 element, 5 element with what is clipped to it, 6 mask, 7
/// drawn; then v number of 4 to 7, and u8 format of 7.
extension PictureSource: WireValue {
    private static let numbers = 0...Int(Int32.max)

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let kind = try reader.uint8("picture's source")
        switch kind {
        case 0: self = .whole
        case 1: self = .thumbnail
        case 2: self = .background
        case 3: self = .baseImage
        case 4: self = .element(try reader.integer("element", in: Self.numbers))
        case 5: self = .element(try reader.integer("element", in: Self.numbers), isWithClipped: true)
        case 6: self = .mask(try reader.integer("mask", in: Self.numbers))
        case 7:
            let number = try reader.integer("image", in: Self.numbers)
            self = .drawn(PictureFormat(rawValue: try reader.uint8("picture format")), number)
        default:
            throw .badValue(what: "picture's source", offset: reader.offset - 1, found: "\(kind)", expected: "0 to 7")
        }
    }

    package func write(to writer: inout ByteWriter) {
        switch self {
        case .whole: writer.uint8(0)
        case .thumbnail: writer.uint8(1)
        case .background: writer.uint8(2)
        case .baseImage: writer.uint8(3)
        case .element(let number, let isWithClipped):
            writer.uint8(isWithClipped ? 5 : 4)
            writer.integer(number)
        case .mask(let number):
            writer.uint8(6)
            writer.integer(number)
        case .drawn(let format, let number):
            writer.uint8(7)
            writer.integer(number)
            writer.uint8(format.rawValue)
        }
    }
}

/// What an element of a layered file is and has.
private struct LayeredFlags: OptionSet {
    var rawValue: UInt8

    static let visible = LayeredFlags(rawValue: 1)
    static let clipped = LayeredFlags(rawValue: 2)
    static let group = LayeredFlags(rawValue: 4)
    /// Only groups pass through and have masks.
    static let passThrough = LayeredFlags(rawValue: 8)
    static let mask = LayeredFlags(rawValue: 16)
    static let ofPictures: LayeredFlags = [.visible, .clipped]
    static let all: LayeredFlags = [.visible, .clipped, .group, .passThrough, .mask]
}

extension ByteReader {
    /// The elements of a layered file: at most as many and as deep as the limits allow.
    package mutating func layeredNodes() throws(ProtocolError) -> [LayeredNode] {
        var left = ProtocolLimits.layers
        return try layeredNodes(depth: 1, left: &left)
    }

    /// - Parameters:
    ///   - depth: of these elements, from 1.
    ///   - left: how many elements may still come.
    private mutating func layeredNodes(depth: Int, left: inout Int) throws(ProtocolError) -> [LayeredNode] {
        let count = try count("elements of a file", elementBytes: 12, limit: left)
        guard count == 0 || depth <= ProtocolLimits.layerDepth else {
            throw .overLimit(
                what: "depth of a file's layers", found: UInt64(depth), limit: UInt64(ProtocolLimits.layerDepth))
        }
        left -= count
        var nodes: [LayeredNode] = []
        nodes.reserveCapacity(count)
        for _ in 0..<count { nodes.append(try layeredNode(depth: depth, left: &left)) }
        return nodes
    }

    private mutating func layeredNode(depth: Int, left: inout Int) throws(ProtocolError) -> LayeredNode {
        let name = try text("element's name", limit: ProtocolLimits.blockContentBytes)
        let opacity = try double("opacity", in: 0...1)
        let blendMode = try entry("blend mode", of: BlendMode.wireOrder)
        let flags = LayeredFlags(rawValue: try uint8("element's flags"))
        guard flags.isSubset(of: flags.contains(.group) ? .all : .ofPictures) else {
            throw .badValue(
                what: "element's flags", offset: offset - 1, found: "\(flags.rawValue)",
                expected: "those of a picture or a group")
        }
        let kind: LayeredNode.Kind
        if flags.contains(.group) {
            let mask = flags.contains(.mask) ? try PictureSource(from: &self) : nil
            kind = .group(
                try layeredNodes(depth: depth + 1, left: &left), isPassThrough: flags.contains(.passThrough),
                mask: mask)
        } else {
            kind = .picture(try PictureSource(from: &self))
        }
        var node = LayeredNode(name: name, kind: kind)
        (node.opacity, node.blendMode) = (opacity, blendMode)
        (node.isVisible, node.isClipped) = (flags.contains(.visible), flags.contains(.clipped))
        return node
    }
}

extension ByteWriter {
    package mutating func layeredNodes(_ nodes: [LayeredNode]) {
        integer(nodes.count)
        for node in nodes { layeredNode(node) }
    }

    private mutating func layeredNode(_ node: LayeredNode) {
        text(node.name, limit: ProtocolLimits.blockContentBytes)
        double(node.opacity)
        entry(node.blendMode, of: BlendMode.wireOrder)
        var flags: LayeredFlags = []
        if node.isVisible { flags.insert(.visible) }
        if node.isClipped { flags.insert(.clipped) }
        switch node.kind {
        case .picture(let source):
            uint8(flags.rawValue)
            source.write(to: &self)
        case .group(let nodes, let isPassThrough, let mask):
            flags.insert(.group)
            if isPassThrough { flags.insert(.passThrough) }
            if mask != nil { flags.insert(.mask) }
            uint8(flags.rawValue)
            mask?.write(to: &self)
            layeredNodes(nodes)
        }
    }
}
