import InkCodecs
import InkEngine

/// The structure of a Photoshop file (`.psd`, `.psb`), without its pixels (Adobe Photoshop File Formats Specification).
struct PSDFile {
    enum Mode: Int {
        case bitmap = 0
        case gray = 1
        case indexed = 2
        case rgb = 3
        case cmyk = 4
        case multichannel = 7
        case duotone = 8
        case lab = 9
    }

    /// Whether lengths have eight bytes (`.psb`).
    let isLarge: Bool
    /// The number of channels of the merged picture, with alpha and others.
    let channelCount: Int
    let size: PixelSize
    /// Bits of a sample: 1, 8, 16 or 32.
    let depth: Int
    let mode: Mode
    /// Red, green, blue, alpha of each colour of an indexed picture.
    private(set) var palette: [UInt8] = []
    /// An ICC profile, or empty.
    private(set) var profile: [UInt8] = []
    /// What the file says about its picture.
    let metadata: PhotoshopResources
    /// From the bottom to the top, as in the file.
    private(set) var records: [PSDRecord] = []
    /// Whether the first channel behind the colours is the merged picture's alpha.
    private(set) var hasMergedAlpha = false
    /// Whether the merged picture is what the file shows; else it is a placeholder.
    private(set) var hasMergedPicture = true
    /// Whether channels hold inks that are printed beside the colours.
    private(set) var hasSpotColors = false
    /// Width of a pixel, seen from its height.
    private(set) var pixelAspect = 1.0
    /// Where the merged picture is.
    private(set) var merged: Range<Int>

    static let magic = Array("8BPS".utf8)

    private static let edgePixelsMax = 300_000

    /// - Throws: `badInput` naming the byte for what is damaged, `overLimit` for what is too much.
    init(_ bytes: [UInt8], place: Place, limits: Limits) throws(EngineError) {
        var reader = ByteReader(bytes, isBigEndian: true, what: "the Photoshop file", place: place)
        guard bytes.starts(with: Self.magic) else { throw .badInput(place, reason: "is not a Photoshop file") }
        try reader.skip(4)
        let version = try reader.uint16()
        guard version == 1 || version == 2 else { throw reader.fault("its version is \(version), not 1 or 2") }
        isLarge = version == 2
        try reader.skip(6)
        channelCount = try reader.uint16()
        let (height, width) = (try reader.uint32(), try reader.uint32())
        size = PixelSize(width: width, height: height)
        depth = try reader.uint16()
        let modeNumber = try reader.uint16()
        guard let mode = Mode(rawValue: modeNumber) else {
            throw reader.fault("its colour mode \(modeNumber) is unknown")
        }
        self.mode = mode
        guard (1...56).contains(channelCount), (1...Self.edgePixelsMax).contains(width),
            (1...Self.edgePixelsMax).contains(height), [1, 8, 16, 32].contains(depth), (depth == 1) == (mode == .bitmap)
        else { throw reader.fault("it claims \(size) pixels of \(channelCount) channels of \(depth) bits") }
        merged = 0..<0
        var colors = try reader.part(try reader.length(isLong: false))
        var resources = try reader.part(try reader.length(isLong: false))
        metadata = PhotoshopResources(Array(bytes[resources.offset..<resources.end]))
        try readResources(&resources)
        if mode == .indexed { try readPalette(&colors) }
        var layers = try reader.part(try reader.length(isLong: isLarge))
        try readLayers(&layers, limits: limits, place: place)
        merged = reader.offset..<reader.end
    }

    /// The index of the transparent colour of an indexed picture.
    private var transparentIndex: Int?

    private mutating func readResources(_ reader: inout ByteReader) throws(EngineError) {
        while reader.left >= 12 {
            // Some writers leave something else behind the last one.
            guard try reader.letters() == "8BIM" else { return }
            let id = try reader.uint16()
            let nameLength = try reader.byte()
            try reader.skip(nameLength + (nameLength + 1) % 2)
            let length = try reader.uint32()
            var content = try reader.part(min(length, reader.left))
            if length % 2 == 1, !reader.isAtEnd { try reader.skip(1) }
            switch id {
            case 1039: profile = try content.array(content.left)
            case 1047 where content.left >= 2: transparentIndex = try content.uint16()
            case 1057 where content.left >= 5:
                try content.skip(4)
                hasMergedPicture = try content.byte() != 0
            case 1064 where content.left >= 12:
                try content.skip(4)
                let aspect = Double(bitPattern: try content.number(8))
                if aspect.isFinite, aspect > 0 { pixelAspect = aspect }
            case 1007: try readDisplay(&content, recordBytes: 14)
            case 1077 where content.left >= 4:
                try content.skip(4)
                try readDisplay(&content, recordBytes: 13)
            default: break
            }
        }
    }

    /// Reads how channels behind the colours are shown.
    private mutating func readDisplay(_ reader: inout ByteReader, recordBytes: Int) throws(EngineError) {
        while reader.left >= recordBytes {
            var record = try reader.part(recordBytes)
            try record.skip(12)
            if try record.byte() == 2 { hasSpotColors = true }
        }
    }

    private mutating func readPalette(_ reader: inout ByteReader) throws(EngineError) {
        let colors = try reader.array(768)
        for index in 0..<256 {
            palette += [colors[index], colors[256 + index], colors[512 + index], index == transparentIndex ? 0 : 255]
        }
    }

    private mutating func readLayers(_ reader: inout ByteReader, limits: Limits, place: Place) throws(EngineError) {
        guard reader.left >= 4 else { return }
        var info = try reader.part(try reader.length(isLong: isLarge))
        if info.left >= 2 { try readRecords(&info, limits: limits, place: place) }
        guard reader.left >= 4 else { return }
        try reader.skip(try reader.length(isLong: false))
        // Layers of 16 and 32 bits are in a block of their own.
        let blocks = try PSDBlocks(&reader, isLarge: isLarge, padding: 4)
        for key in ["Lr16", "Lr32", "Layr"] {
            guard records.isEmpty, var block = blocks[key], block.left >= 2 else { continue }
            try readRecords(&block, limits: limits, place: place)
        }
    }

    private mutating func readRecords(_ reader: inout ByteReader, limits: Limits, place: Place) throws(EngineError) {
        let count = try reader.int16()
        hasMergedAlpha = count < 0
        // Groups take two records each.
        guard abs(count) <= 2 * limits.layers + 2 else {
            throw .overLimit(place, what: "the number of layers", found: "\(abs(count))", limit: "\(limits.layers)")
        }
        for _ in 0..<abs(count) { records.append(try PSDRecord(&reader, isLarge: isLarge)) }
        for index in records.indices {
            for channel in records[index].channels.indices {
                records[index].channels[channel].range = try reader.take(records[index].channels[channel].byteCount)
            }
        }
    }
}

/// Blocks of additional information, by their keys. They know which of them have been read.
final class PSDBlocks: PropertyHolder {
    /// In the order of the file; of blocks of one key, the first counts.
    private var blocks: [(key: String, content: ByteReader)] = []
    private var read: Set<String> = []
    /// Whether something follows the blocks that is none.
    private(set) var isCutShort = false

    /// Those whose lengths have eight bytes in large files.
    private static let long: Set<String> = [
        "LMsk", "Lr16", "Lr32", "Layr", "Mt16", "Mt32", "Mtrn", "Alph", "FMsk", "lnk2", "FEid", "FXid", "PxSD",
    ]

    init() {}

    /// Reads to the end, or to something that is no block.
    init(_ reader: inout ByteReader, isLarge: Bool, padding: Int) throws(EngineError) {
        var keys: Set<String> = []
        while reader.left >= 12 {
            let signature = try reader.letters()
            guard signature == "8BIM" || signature == "8B64" else {
                isCutShort = true
                return
            }
            let key = try reader.letters()
            let length = try reader.length(isLong: isLarge && (signature == "8B64" || Self.long.contains(key)))
            let content = try reader.part(length)
            if keys.insert(key).inserted { blocks.append((key, content)) }
            let rest = length % padding
            if rest != 0 { try reader.skip(min(padding - rest, reader.left)) }
            // Writers do not agree on what lengths are rounded to.
            while reader.left >= 12, reader.bytes[reader.offset] == 0 { try reader.skip(1) }
        }
    }

    subscript(key: String) -> ByteReader? {
        read.insert(key)
        return blocks.first { $0.key == key }?.content
    }

    /// The value of a block is its first byte, where it is a switch: such blocks have four bytes.
    var unusedProperties: [(name: String, value: String)] {
        blocks.filter { !read.contains($0.key) }.map { block in
            (
                block.key,
                block.content.left > 4
                    ? "..." : block.content.left > 0 ? "\(block.content.bytes[block.content.offset])" : ""
            )
        }
    }
}

/// A layer's record, or that of a group's beginning or end.
struct PSDRecord {
    struct Channel {
        /// 0 and up: colours; -1 alpha, -2 what all masks hide together, -3 the layer mask alone where there are two.
        var id: Int
        var byteCount: Int
        var range = 0..<0
    }

    /// Left, top, right, bottom, in canvas pixels.
    typealias Box = (left: Int, top: Int, right: Int, bottom: Int)

    struct Mask {
        var box: Box
        /// Beyond the box, 0 or 255.
        var outside: UInt8
        var isDisabled: Bool
        var isInverted: Bool
        /// Whether it shows a vector mask, alone or together with the layer mask.
        var isRendered: Bool
    }

    /// How masks count; what they hide in the file is without it.
    struct MaskParameters {
        /// How much of what a mask hides it does hide, 0...255.
        typealias Density = UInt8

        var userDensity: Density = 255
        var vectorDensity: Density = 255
        /// Pixels.
        var userFeather = 0.0
        var vectorFeather = 0.0
    }

    enum Divider: Int {
        case openGroup = 1
        case closedGroup = 2
        /// Lies below a group's elements.
        case bottom = 3
    }

    let box: Box
    var channels: [Channel] = []
    /// Four letters.
    private(set) var mode: String
    let opacity: UInt8
    let isClipped: Bool
    let isHidden: Bool
    /// In the channel -2.
    private(set) var mask: Mask?
    /// In the channel -3.
    private(set) var userMask: Mask?
    private(set) var maskParameters = MaskParameters()
    private(set) var divider: Divider?
    private(set) var name: String
    private(set) var id: Int?
    private(set) var fillOpacity: UInt8 = 255
    /// Whether the layer shows only where what lies below has certain values.
    private(set) var isBlendedByValue = false
    private(set) var blocks = PSDBlocks()

    init(_ reader: inout ByteReader, isLarge: Bool) throws(EngineError) {
        box = try Self.readBox(&reader)
        let count = try reader.uint16()
        for _ in 0..<count {
            channels.append(Channel(id: try reader.int16(), byteCount: try reader.length(isLong: isLarge)))
        }
        guard try reader.letters() == "8BIM" else { throw reader.fault("a layer's record is not one") }
        mode = try reader.letters()
        opacity = UInt8(try reader.byte())
        isClipped = try reader.byte() != 0
        let flags = try reader.byte()
        isHidden = flags & 2 != 0
        try reader.skip(1)
        var extra = try reader.part(try reader.length(isLong: false))
        var masks = try extra.part(try extra.length(isLong: false))
        var ranges = try extra.part(try extra.length(isLong: false))
        let nameLength = try extra.byte()
        name = Self.text(try extra.array(nameLength))
        try extra.skip(min((4 - (nameLength + 1) % 4) % 4, extra.left))
        try readMasks(&masks)
        while ranges.left >= 8 {
            // From and to, of this layer and of what lies below.
            for full in [[0, 0, 255, 255], [0, 0, 255, 255]] where try ranges.array(4).map({ Int($0) }) != full {
                isBlendedByValue = true
            }
        }
        blocks = try PSDBlocks(&extra, isLarge: isLarge, padding: 2)
        try readBlocks()
    }

    private static func readBox(_ reader: inout ByteReader) throws(EngineError) -> Box {
        let (top, left) = (try reader.int32(), try reader.int32())
        let (bottom, right) = (try reader.int32(), try reader.int32())
        // Photoshop writes boxes that end before they begin for layers without pixels.
        guard bottom > top, right > left else { return (left, top, left, top) }
        guard bottom - top <= 1 << 20, right - left <= 1 << 20 else { throw reader.fault("a layer's box is too large") }
        return (left, top, right, bottom)
    }

    private mutating func readMasks(_ reader: inout ByteReader) throws(EngineError) {
        guard reader.left >= 18 else { return }
        func read(_ box: Box, _ outside: Int, _ flags: Int) -> Mask {
            Mask(
                box: box, outside: outside == 0 ? 0 : 255, isDisabled: flags & 2 != 0, isInverted: flags & 4 != 0,
                isRendered: flags & 8 != 0)
        }
        let box = try Self.readBox(&reader)
        let outside = try reader.byte()
        let flags = try reader.byte()
        mask = read(box, outside, flags)
        let hasParameters = flags & 16 != 0
        // The second mask comes before the parameters, whatever the specification says.
        let hasSecond = channels.contains { $0.id == -3 } || !(hasParameters && Self.holdsParameters(reader))
        if hasSecond, reader.left >= 18 {
            let flags = try reader.byte()
            let outside = try reader.byte()
            let second = read(try Self.readBox(&reader), outside, flags)
            if channels.contains(where: { $0.id == -3 }) { userMask = second }
        }
        if hasParameters, reader.left > 0 { try readMaskParameters(&reader) }
    }

    /// Whether the rest of a record of masks is parameters and what lengths are rounded to.
    private static func holdsParameters(_ reader: ByteReader) -> Bool {
        guard reader.left > 0 else { return false }
        let given = reader.bytes[reader.offset]
        let size = 1 + [1, 8, 1, 8].enumerated().reduce(0) { $0 + (given >> $1.offset & 1 != 0 ? $1.element : 0) }
        return given < 16 && (0...3).contains(reader.left - size)
    }

    private mutating func readMaskParameters(_ reader: inout ByteReader) throws(EngineError) {
        let given = try reader.byte()
        if given & 1 != 0 { maskParameters.userDensity = UInt8(try reader.byte()) }
        if given & 2 != 0 { maskParameters.userFeather = Double(bitPattern: try reader.number(8)) }
        if given & 4 != 0 { maskParameters.vectorDensity = UInt8(try reader.byte()) }
        if given & 8 != 0 { maskParameters.vectorFeather = Double(bitPattern: try reader.number(8)) }
    }

    private mutating func readBlocks() throws(EngineError) {
        // Without a whole one the name in Latin letters stays.
        if var block = blocks["luni"], let count = try? block.uint32(), count <= block.left / 2 {
            var units: [UInt16] = []
            for _ in 0..<count { units.append(UInt16(try block.number(2))) }
            while units.last == 0 { units.removeLast() }
            name = String(decoding: units, as: UTF16.self)
        }
        if var block = blocks["lyid"], block.left >= 4 { id = try block.uint32() }
        if var block = blocks["iOpa"], block.left >= 1 { fillOpacity = UInt8(try block.byte()) }
        if var block = blocks["lsct"] ?? blocks["lsdk"], block.left >= 4 {
            divider = Divider(rawValue: try block.uint32())
            if divider == .openGroup || divider == .closedGroup, block.left >= 8, try block.letters() == "8BIM" {
                mode = try block.letters()
            }
        }
    }

    /// Reads text of a Macintosh, where the letters that all computers share are enough: the whole name is in a block.
    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(decoding: bytes.map { $0 < 128 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Whether the layer has effects that are switched on.
    var hasEffects: Bool {
        guard let effects = blocks["lfx2"] ?? blocks["lmfx"] else {
            return blocks["lrFX"] != nil && Self.shows(blocks["lrFX"]!)
        }
        let bytes = effects.bytes[effects.offset..<effects.end]
        guard let key = bytes.firstRange(of: Array("masterFXSwitchbool".utf8)), key.upperBound < bytes.endIndex else {
            return true
        }
        guard bytes[key.upperBound] != 0 else { return false }
        // Each effect that is there says whether it is on.
        return bytes.ranges(of: Array("enabbool".utf8)).contains {
            $0.upperBound < bytes.endIndex && bytes[$0.upperBound] != 0
        }
    }

    /// Whether one of the old kinds of effects is on: each says so at its end, except the first.
    private static func shows(_ effects: ByteReader) -> Bool {
        var reader = effects
        // Effects that cannot be read cannot be named among what is left out.
        guard (try? reader.skip(2)) != nil, let count = try? reader.uint16() else { return false }
        for _ in 0..<count {
            // A cut one shows nothing either.
            guard (try? reader.letters()) == "8BIM", let key = try? reader.letters(),
                let length = try? reader.length(isLong: false), let content = try? reader.part(length)
            else { return false }
            let bytes = Array(content.bytes[content.offset..<content.end])
            // Where each kind of effect has its switch.
            let place = ["dsdw": 45, "isdw": 45, "oglw": 27, "iglw": 27, "bevl": 57, "sofi": 26][key]
            if let place, place < bytes.count, bytes[place] != 0 { return true }
        }
        return false
    }

    /// The colour of a layer that is filled with one; nil for others.
    ///
    /// - Throws: `badInput` for damage.
    func fillColor() throws(EngineError) -> RGBA8? {
        guard var block = blocks["SoCo"] else { return nil }
        return try PSDDescriptor(versioned: &block).object("Clr ")?.color
    }
}
