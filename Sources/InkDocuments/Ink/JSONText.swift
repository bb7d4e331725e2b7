import InkCodecs
import InkEngine

/// A JSON text being written, without white space.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// False once a number was written that JSON cannot express.
    private(set) var isFinite = true
    private var needsComma = false

    mutating func beginObject() { open(UInt8(ascii: "{")) }
    mutating func endObject() { close(UInt8(ascii: "}")) }
    mutating func beginArray() { open(UInt8(ascii: "[")) }
    mutating func endArray() { close(UInt8(ascii: "]")) }

    mutating func key(_ key: String) {
        separate()
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func field(_ key: String, _ value: String) {
        self.key(key)
        string(value)
        needsComma = true
    }

    mutating func element(_ value: String) {
        separate()
        string(value)
        needsComma = true
    }

    mutating func field(_ key: String, _ value: Double) {
        self.key(key)
        number(value)
    }

    mutating func field(_ key: String, _ value: Bool) {
        self.key(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    mutating func field(_ key: String, _ image: EncodedImage) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: Base64.encode(image.bytes))
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    mutating func field(_ key: String, _ path: ShapePath) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: path.data)
        bytes.append(UInt8(ascii: "\""))
        isFinite = isFinite && path.points.allSatisfy { $0.x.isFinite && $0.y.isFinite }
        needsComma = true
    }

    mutating func field(_ key: String, _ numbers: [Double]) {
        self.key(key)
        array(numbers)
    }

    mutating func array(_ numbers: [Double]) {
        beginArray()
        for number in numbers { self.number(number) }
        endArray()
    }

    mutating func number(_ value: Double) {
        separate()
        isFinite = isFinite && value.isFinite
        needsComma = true
        bytes.appendShortest(value)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: ("\\u00" + (byte < 16 ? "0" : "") + digits).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
