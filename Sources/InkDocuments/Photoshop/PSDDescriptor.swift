import InkCodecs
import InkEngine

/// A value of a Photoshop descriptor, as far as readers need it (Adobe Photoshop File Formats Specification, "Descriptor
/// structure").
enum PSDValue {
    /// A whole number, a real one, or one with a unit.
    case number(Double)
    case flag(Bool)
    case text(String)
    /// The value's key.
    case choice(String)
    case object(PSDDescriptor)
    case list([PSDValue])
    /// A reference, an alias or raw data.
    case other
}

/// A descriptor: values by keys. Keys of four letters keep their blanks.
struct PSDDescriptor {
    private var values: [String: PSDValue] = [:]

    private static let depthMax = 32

    /// Reads a descriptor that follows its version.
    ///
    /// - Throws: `badInput` for damage and for kinds of values that are unknown.
    init(versioned reader: inout ByteReader) throws(EngineError) {
        guard try reader.uint32() == 16 else { throw reader.fault("a descriptor's version is unknown") }
        try self.init(&reader, depth: 0)
    }

    private init(_ reader: inout ByteReader, depth: Int) throws(EngineError) {
        guard depth < Self.depthMax else { throw reader.fault("descriptors are too deep") }
        _ = try Self.text(&reader)
        _ = try Self.key(&reader)
        for _ in 0..<(try reader.uint32()) {
            let key = try Self.key(&reader)
            values[key] = try Self.value(&reader, depth: depth)
        }
    }

    func number(_ key: String) -> Double? {
        if case .number(let number) = values[key], number.isFinite { number } else { nil }
    }

    func object(_ key: String) -> PSDDescriptor? {
        if case .object(let object) = values[key] { object } else { nil }
    }

    private static func key(_ reader: inout ByteReader) throws(EngineError) -> String {
        let length = try reader.uint32()
        return String(decoding: reader.bytes[try reader.take(length == 0 ? 4 : length)], as: UTF8.self)
    }

    private static func text(_ reader: inout ByteReader) throws(EngineError) -> String {
        let count = try reader.uint32()
        guard count <= reader.left / 2 else { throw reader.fault("a text leads beyond its end") }
        var units: [UInt16] = []
        for _ in 0..<count { units.append(UInt16(try reader.uint16())) }
        while units.last == 0 { units.removeLast() }
        return String(decoding: units, as: UTF16.self)
    }

    private static func value(_ reader: inout ByteReader, depth: Int) throws(EngineError) -> PSDValue {
        let kind = try reader.letters()
        switch kind {
        case "doub": return .number(Double(bitPattern: try reader.number(8)))
        case "UntF":
            try reader.skip(4)
            return .number(Double(bitPattern: try reader.number(8)))
        case "long": return .number(Double(try reader.int32()))
        case "comp": return .number(Double(Int64(bitPattern: try reader.number(8))))
        case "bool": return .flag(try reader.byte() != 0)
        case "TEXT": return .text(try text(&reader))
        case "enum":
            _ = try key(&reader)
            return .choice(try key(&reader))
        case "Objc", "GlbO": return .object(try PSDDescriptor(&reader, depth: depth + 1))
        case "VlLs":
            guard depth < depthMax else { throw reader.fault("descriptors are too deep") }
            var list: [PSDValue] = []
            for _ in 0..<(try reader.uint32()) { list.append(try value(&reader, depth: depth + 1)) }
            return .list(list)
        case "type", "GlbC":
            _ = try text(&reader)
            _ = try key(&reader)
            return .other
        case "alis", "tdta", "Pth ":
            try reader.skip(try reader.length(isLong: false))
            return .other
        default: throw reader.fault("a descriptor's value is of the kind \(shownText(kind)), which is unknown")
        }
    }
}

extension PSDDescriptor {
    /// A colour; nil for one of a kind that has no formula, such as Lab or a book of colours.
    var color: RGBA8? {
        func byte(_ share: Double) -> UInt8 { UInt8(max(0, min(255, (share * 255).rounded()))) }
        if let red = number("Rd  "), let green = number("Grn "), let blue = number("Bl  ") {
            return RGBA8(red: byte(red / 255), green: byte(green / 255), blue: byte(blue / 255))
        }
        if let red = number("redFloat"), let green = number("greenFloat"), let blue = number("blueFloat") {
            return RGBA8(red: byte(red), green: byte(green), blue: byte(blue))
        }
        // Percent of ink.
        if let gray = number("Gry ") {
            let light = byte(1 - gray / 100)
            return RGBA8(red: light, green: light, blue: light)
        }
        if let cyan = number("Cyn "), let magenta = number("Mgnt"), let yellow = number("Ylw "),
            let black = number("Blck")
        {
            func light(_ ink: Double) -> UInt8 { byte((1 - ink / 100) * (1 - black / 100)) }
            return RGBA8(red: light(cyan), green: light(magenta), blue: light(yellow))
        }
        if let hue = number("H   "), let saturation = number("Strt"), let brightness = number("Brgh") {
            func share(_ offset: Double) -> UInt8 {
                let k = (offset + hue / 60).truncatingRemainder(dividingBy: 6)
                let fall = max(0, min(k < 0 ? k + 6 : k, 4 - (k < 0 ? k + 6 : k), 1))
                return byte(brightness / 100 * (1 - saturation / 100 * fall))
            }
            return RGBA8(red: share(5), green: share(3), blue: share(1))
        }
        return nil
    }
}
