/// The chunks of a PNG apart from its pixels.
struct PNGChunks: Sequence, IteratorProtocol {
    private let file: [UInt8]
    private var at = PNGHeader.signature.count

    init(_ file: [UInt8]) { self.file = file }

    /// The type and the data of the next chunk that lies in the file whole.
    mutating func next() -> (type: ArraySlice<UInt8>, data: ArraySlice<UInt8>)? {
        guard at + 12 <= file.count else { return nil }
        let length = Int(bigEndian(file, at: at))
        guard length <= file.count - at - 12 else { return nil }
        defer { at += length + 12 }
        return (file[(at + 4)..<(at + 8)], file[(at + 8)..<(at + 8 + length)])
    }
}

/// A text of a PNG (PNG specification, 11.3.3): `tEXt`, `zTXt` or `iTXt`.
struct PNGText {
    var keyword: String
    private let packed: ArraySlice<UInt8>
    private let isPacked: Bool
    /// Whether it is UTF-8, else Latin-1.
    private let isUTF8: Bool

    /// What a text may have when it is unpacked.
    static let byteCountMax = 4 << 20

    /// nil for a chunk of another kind, and a damaged one.
    init?(type: ArraySlice<UInt8>, data: ArraySlice<UInt8>) {
        let name = String(decoding: type, as: UTF8.self)
        guard ["tEXt", "zTXt", "iTXt"].contains(name), let end = data.prefix(80).firstIndex(of: 0),
            end > data.startIndex
        else { return nil }
        keyword = String(String.UnicodeScalarView(data[..<end].map { Unicode.Scalar($0) }))
        var rest = data[(end + 1)...]
        isUTF8 = name == "iTXt"
        switch name {
        case "zTXt":
            guard rest.popFirst() == 0 else { return nil }
            isPacked = true
        case "iTXt":
            guard let flag = rest.popFirst(), let method = rest.popFirst(), flag == 0 || flag == 1 && method == 0,
                // A language, and the keyword in it.
                let language = rest.firstIndex(of: 0), let translated = rest[(language + 1)...].firstIndex(of: 0)
            else { return nil }
            rest = rest[(translated + 1)...]
            isPacked = flag == 1
        default: isPacked = false
        }
        packed = rest
    }

    /// nil for what is damaged or too large.
    var bytes: [UInt8]? {
        guard isPacked else { return packed.count <= Self.byteCountMax ? Array(packed) : nil }
        return PNGProfile.inflated(Array(packed), byteCountMax: Self.byteCountMax)
    }

    var text: String? {
        bytes.flatMap { bytes in
            isUTF8
                ? String(validating: bytes, as: UTF8.self)
                : String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
    }

    private static let profileKey = "Raw profile type "

    /// The kind of data that this holds as digits, in lower case, as ImageMagick writes them; nil for a plain text.
    var profileKind: String? {
        keyword.hasPrefix(Self.profileKey) ? keyword.dropFirst(Self.profileKey.count).lowercased() : nil
    }

    /// The data of a profile: its name, its length and hexadecimal digits, in lines. nil if the digits are fewer than that.
    var profile: [UInt8]? {
        guard let bytes else { return nil }
        var rest = bytes[...]
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }
        func word() -> ArraySlice<UInt8> {
            rest = rest.drop(while: isBlank)
            let word = rest.prefix { !isBlank($0) }
            rest = rest[word.endIndex...]
            return word
        }
        _ = word()
        guard let count = Int(String(decoding: word(), as: UTF8.self)), (1...Self.byteCountMax).contains(count),
            rest.count >= 2 * count
        else { return nil }
        var profile: [UInt8] = []
        profile.reserveCapacity(count)
        var high: UInt8?
        for byte in rest where !isBlank(byte) {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x61...0x66: digit = byte - 0x61 + 10
            case 0x41...0x46: digit = byte - 0x41 + 10
            default: return nil
            }
            if let first = high {
                profile.append(first << 4 | digit)
                high = nil
                if profile.count == count { return profile }
            } else {
                high = digit
            }
        }
        return nil
    }
}
