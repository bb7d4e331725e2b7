import InkCodecs
import InkEngine

/// The structure of an Aseprite file, without its pixels (its file format's specification, version 1.3).
struct AsepriteFile {
    struct Element {
        enum Kind {
            case image, group
            /// With the number of its set of tiles.
            case tilemap(Int)
            /// A kind that this program does not know.
            case unknown(Int)
        }

        var kind: Kind
        var isVisible: Bool
        var isBackground: Bool
        var isReference: Bool
        /// The number of groups around it.
        var depth: Int
        var mode: Int
        var opacity: Double
        var name: String
    }

    struct Cel {
        enum Content {
            /// Packed with zlib or not.
            case pixels(Range<Int>, isPacked: Bool)
            /// That of the same layer in another frame.
            case linked(frame: Int)
            /// Numbers of tiles, packed.
            case tiles(Range<Int>, masks: [UInt32])
        }

        var x: Int
        var y: Int
        var opacity: Double
        /// Added to the layer's place in the order.
        var z: Int
        /// Pixels, or tiles.
        var size: PixelSize
        var content: Content
    }

    struct TileSet {
        var tile: PixelSize
        var count: Int
        /// Packed pixels of all tiles, one below the other; nil for those in another file.
        var pixels: Range<Int>?
    }

    let size: PixelSize
    /// 8 indexed, 16 gray with alpha, 32 with alpha.
    let depth: Int
    private let hasLayerOpacity: Bool
    /// Whether modes and opacities of groups count.
    let hasGroupModes: Bool
    let transparentIndex: Int
    /// From the bottom to the top, groups before what is in them.
    private(set) var layers: [Element] = []
    /// By layer, of each frame.
    private(set) var frames: [[Int: Cel]] = []
    /// Milliseconds of each frame.
    private(set) var durations: [Int] = []
    private(set) var tags: [Animation.Tag] = []
    /// What of it is not drawn.
    private(set) var leftOut: [(what: String, place: String?)] = []
    /// Red, green, blue, alpha.
    private(set) var palette: [UInt8] = []
    private(set) var tileSets: [Int: TileSet] = [:]
    private(set) var profile: [UInt8] = []
    private var hasPalette = false

    static func recognizes(_ bytes: [UInt8]) -> Bool {
        bytes.count > 6 && bytes[4] == 0xE0 && bytes[5] == 0xA5
    }

    /// - Throws: `badInput` naming the byte for what is damaged, `overLimit` for what is too much.
    init(_ bytes: [UInt8], place: Place, limits: Limits) throws(EngineError) {
        var reader = ByteReader(bytes, isBigEndian: false, what: "the Aseprite file", place: place)
        try reader.skip(4)
        guard try reader.uint16() == 0xA5E0 else { throw .badInput(place, reason: "is not an Aseprite file") }
        let frameCount = try reader.uint16()
        size = PixelSize(width: try reader.uint16(), height: try reader.uint16())
        depth = try reader.uint16()
        let flags = try reader.uint32()
        hasLayerOpacity = flags & 1 != 0
        hasGroupModes = flags & 2 != 0
        if flags & ~7 != 0 { leftOut.append(("flags of the file that are unknown (\(flags))", nil)) }
        let speed = try reader.uint16()
        try reader.skip(8)
        transparentIndex = try reader.byte()
        try reader.skip(5)
        let (pixelWidth, pixelHeight) = (try reader.byte(), try reader.byte())
        if pixelWidth != pixelHeight, pixelWidth != 0, pixelHeight != 0 {
            leftOut.append(("pixels that are not square (\(pixelWidth):\(pixelHeight))", nil))
        }
        try reader.skip(128 - reader.offset)
        guard size.area > 0, frameCount > 0, [8, 16, 32].contains(depth) else {
            throw reader.fault("it claims \(frameCount) frames of \(size) pixels of \(depth) bits")
        }
        for _ in 0..<frameCount {
            frames.append([:])
            let length = try reader.uint32()
            guard length >= 16, try reader.uint16() == 0xF1FA else { throw reader.fault("a frame is not one") }
            let old = try reader.uint16()
            let duration = try reader.uint16()
            durations.append(duration > 0 ? duration : speed)
            try reader.skip(2)
            let new = try reader.uint32()
            var frame = try reader.part(length - 16)
            for _ in 0..<(new == 0 ? old : new) {
                let length = try frame.uint32()
                let kind = try frame.uint16()
                guard length >= 6 else { throw frame.fault("a chunk ends before it begins") }
                var chunk = try frame.part(length - 6)
                try read(kind, &chunk, limits: limits, place: place)
            }
        }
    }

    private mutating func read(
        _ kind: Int, _ chunk: inout ByteReader, limits: Limits, place: Place
    ) throws(EngineError) {
        switch kind {
        case 0x2004:
            guard layers.count < limits.layers else {
                throw .overLimit(
                    place, what: "the number of layers", found: "more than \(limits.layers)", limit: "\(limits.layers)")
            }
            layers.append(try readLayer(&chunk))
        case 0x2005: try readCel(&chunk)
        case 0x2019: try readPalette(&chunk)
        case 0x0004 where !hasPalette: try readOldPalette(&chunk, scale: 255)
        case 0x0011 where !hasPalette: try readOldPalette(&chunk, scale: 63)
        case 0x2007:
            let type = try chunk.uint16()
            let flags = try chunk.uint16()
            try chunk.skip(12)
            if type == 2 { profile = try chunk.array(try chunk.length(isLong: false)) }
            if flags & 1 != 0 { leaveOut("a gamma of its own") }
        case 0x2018: try readTags(&chunk)
        case 0x2023: try readTileSet(&chunk)
        // Older palettes, exact places of cels, other files, selections, paths, notes of the user, and slices.
        case 0x0004, 0x0011, 0x2006, 0x2008, 0x2016, 0x2017, 0x2020, 0x2022: break
        default: leaveOut("a chunk of the kind 0x\(String(kind, radix: 16)), which is unknown")
        }
    }

    /// Leaves out something of the frame that is being read.
    /// At most 1,000 times: a damaged file may have a million things that are unknown.
    private mutating func leaveOut(_ what: String) {
        if leftOut.count < 1000 { leftOut.append((what, "frame \(frames.count)")) }
    }

    private mutating func readTags(_ chunk: inout ByteReader) throws(EngineError) {
        let count = try chunk.uint16()
        try chunk.skip(8)
        for _ in 0..<count {
            let (first, last) = (try chunk.uint16(), try chunk.uint16())
            let direction = try chunk.byte()
            let repeatCount = try chunk.uint16()
            try chunk.skip(10)
            let name = String(decoding: try chunk.array(try chunk.uint16()), as: UTF8.self)
            guard first <= last else {
                leaveOut("a tag that ends before it begins")
                continue
            }
            let directions: [Animation.Tag.Direction] = [.forward, .reverse, .pingPong, .pingPongReverse]
            guard tags.count < 1000 else {
                leaveOut("more than 1,000 tags")
                return
            }
            tags.append(
                Animation.Tag(
                    name: name, frames: first...last,
                    direction: directions.indices.contains(direction) ? directions[direction] : .forward,
                    repeatCount: repeatCount == 0 ? nil : repeatCount))
        }
    }

    private mutating func readLayer(_ chunk: inout ByteReader) throws(EngineError) -> Element {
        let flags = try chunk.uint16()
        if flags & ~127 != 0 { leaveOut("flags of a layer that are unknown (\(flags))") }
        let type = try chunk.uint16()
        let depth = try chunk.uint16()
        try chunk.skip(4)
        let mode = try chunk.uint16()
        let opacity = try chunk.byte()
        try chunk.skip(3)
        let name = String(decoding: try chunk.array(try chunk.uint16()), as: UTF8.self)
        let kind: Element.Kind =
            switch type {
            case 0: .image
            case 1: .group
            case 2: .tilemap(try chunk.uint32())
            default: .unknown(type)
            }
        let isGroup = type == 1
        return Element(
            kind: kind, isVisible: flags & 1 != 0, isBackground: flags & 8 != 0, isReference: flags & 64 != 0,
            depth: depth, mode: isGroup && !hasGroupModes ? 0 : mode,
            opacity: hasLayerOpacity && (!isGroup || hasGroupModes) ? Double(opacity) / 255 : 1, name: name)
    }

    private mutating func readCel(_ chunk: inout ByteReader) throws(EngineError) {
        let layer = try chunk.uint16()
        let (x, y) = (try chunk.int16(), try chunk.int16())
        let opacity = Double(try chunk.byte()) / 255
        let type = try chunk.uint16()
        let z = try chunk.int16()
        try chunk.skip(5)
        var cel = Cel(
            x: x, y: y, opacity: opacity, z: z, size: PixelSize(width: 0, height: 0), content: .linked(frame: 0))
        switch type {
        case 1: cel.content = .linked(frame: try chunk.uint16())
        case 0, 2:
            cel.size = PixelSize(width: try chunk.uint16(), height: try chunk.uint16())
            cel.content = .pixels(try chunk.take(chunk.left), isPacked: type == 2)
        case 3:
            cel.size = PixelSize(width: try chunk.uint16(), height: try chunk.uint16())
            let tileBits = try chunk.uint16()
            guard tileBits == 32 else { return leaveOut("a map of tiles of \(tileBits) bits, which are unknown") }
            var masks: [UInt32] = []
            for _ in 0..<4 { masks.append(UInt32(try chunk.number(4))) }
            try chunk.skip(10)
            cel.content = .tiles(try chunk.take(chunk.left), masks: masks)
        default: return leaveOut("a cel of the kind \(type), which is unknown")
        }
        guard layers.indices.contains(layer) else { return leaveOut("a cel of a layer that does not exist") }
        frames[frames.count - 1][layer] = cel
    }

    private mutating func readPalette(_ chunk: inout ByteReader) throws(EngineError) {
        let count = try chunk.uint32()
        let (first, last) = (try chunk.uint32(), try chunk.uint32())
        try chunk.skip(8)
        guard first <= last, last < max(count, 1), last < 1 << 16 else {
            throw chunk.fault("the palette's colours are out of order")
        }
        if !hasPalette { palette = [] }
        hasPalette = true
        grow(to: last + 1)
        for index in first...last {
            let flags = try chunk.uint16()
            palette.replaceSubrange((4 * index)..<(4 * index + 4), with: try chunk.array(4))
            if flags & 1 != 0 { try chunk.skip(try chunk.uint16()) }
        }
    }

    private mutating func readOldPalette(_ chunk: inout ByteReader, scale: Int) throws(EngineError) {
        var index = 0
        for _ in 0..<(try chunk.uint16()) {
            index += try chunk.byte()
            let count = try chunk.byte()
            for _ in 0..<(count == 0 ? 256 : count) {
                let color = try chunk.array(3)
                guard index < 1 << 16 else { throw chunk.fault("the palette has too many colours") }
                grow(to: index + 1)
                palette.replaceSubrange(
                    (4 * index)..<(4 * index + 4), with: color.map { UInt8(clamping: Int($0) * 255 / scale) } + [255])
                index += 1
            }
        }
    }

    private mutating func grow(to count: Int) {
        while palette.count < 4 * count { palette += [0, 0, 0, 255] }
    }

    private mutating func readTileSet(_ chunk: inout ByteReader) throws(EngineError) {
        let id = try chunk.uint32()
        let flags = try chunk.uint32()
        let count = try chunk.uint32()
        let tile = PixelSize(width: try chunk.uint16(), height: try chunk.uint16())
        try chunk.skip(16)
        try chunk.skip(try chunk.uint16())
        if flags & 1 != 0 { try chunk.skip(8) }
        guard tile.area > 0 else { throw chunk.fault("a tile has no pixels") }
        let pixels = flags & 2 != 0 ? try chunk.take(try chunk.length(isLong: false)) : nil
        tileSets[id] = TileSet(tile: tile, count: count, pixels: pixels)
    }
}
