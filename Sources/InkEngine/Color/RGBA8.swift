/// A colour with straight alpha, 8 bits per channel, sRGB-encoded.
public struct RGBA8: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    public static let white = RGBA8(red: 255, green: 255, blue: 255)
    public static let black = RGBA8(red: 0, green: 0, blue: 0)
    public static let transparent = RGBA8(red: 0, green: 0, blue: 0, alpha: 0)

    public var isOpaque: Bool { alpha == 255 }
}

extension RGBA8: CustomStringConvertible {
    /// Parses `#rgb`, `#rrggbb`, `#rrggbbaa` (any case) or `transparent`; nil for anything else.
    public init?(hex text: String) {
        if text == "transparent" {
            self = .transparent
            return
        }
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "#") else { return nil }
        var digits: [UInt8] = []
        for byte in bytes.dropFirst() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        switch digits.count {
        case 3: self.init(red: digits[0] * 17, green: digits[1] * 17, blue: digits[2] * 17)
        case 6, 8:
            self.init(
                red: digits[0] * 16 + digits[1],
                green: digits[2] * 16 + digits[3],
                blue: digits[4] * 16 + digits[5],
                alpha: digits.count == 8 ? digits[6] * 16 + digits[7] : 255)
        default: return nil
        }
    }

    /// `#rrggbb`, or `#rrggbbaa` if not opaque.
    public var description: String {
        func hex(_ value: UInt8) -> String {
            let text = String(value, radix: 16)
            return value < 16 ? "0" + text : text
        }
        return "#" + hex(red) + hex(green) + hex(blue) + (isOpaque ? "" : hex(alpha))
    }
}
