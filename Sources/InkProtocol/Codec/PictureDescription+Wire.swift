import InkCodecs
import InkEngine

extension PictureDescription: WireValue {
    private struct Flags: OptionSet {
        var rawValue: UInt8

        static let density = Flags(rawValue: 1)
        static let exif = Flags(rawValue: 2)
        static let xmp = Flags(rawValue: 4)
        static let digest = Flags(rawValue: 8)
        static let profile = Flags(rawValue: 16)
        static let all: Flags = [.density, .exif, .xmp, .digest, .profile]
    }

    init(from reader: inout ByteReader) throws(ProtocolError) {
        let flags = Flags(rawValue: try reader.uint8("description's flags"))
        guard flags.isSubset(of: .all) else {
            throw .badValue(
                what: "description's flags", offset: reader.offset - 1, found: "\(flags.rawValue)",
                expected: "0 to \(Flags.all.rawValue)")
        }
        self.init(hasProfile: flags.contains(.profile))
        if flags.contains(.density) {
            let across = try reader.double("density", in: PictureDensity.range)
            density = PictureDensity(across: across, down: try reader.double("density", in: PictureDensity.range))
        }
        let count = try reader.count("texts", elementBytes: 2, limit: PictureText.Keyword.allCases.count)
        for _ in 0..<count {
            let keyword = try reader.integer("keyword", in: 0...(PictureText.Keyword.allCases.count - 1))
            let content = try reader.text("text", limit: ProtocolLimits.blockContentBytes)
            text.append(PictureText(PictureText.Keyword.allCases[keyword], content))
        }
        if flags.contains(.exif) { exif = try reader.bytes(reader.count("exif", elementBytes: 1), "exif") }
        if flags.contains(.xmp) { xmp = try reader.bytes(reader.count("xmp", elementBytes: 1), "xmp") }
        if flags.contains(.digest) {
            digest = PictureDigest(bytes: try reader.bytes(PictureDigest.byteCount, "digest"))
        }
    }

    func write(to writer: inout ByteWriter) {
        var flags: Flags = []
        if density != nil { flags.insert(.density) }
        if exif != nil { flags.insert(.exif) }
        if xmp != nil { flags.insert(.xmp) }
        if digest != nil { flags.insert(.digest) }
        if hasProfile { flags.insert(.profile) }
        writer.uint8(flags.rawValue)
        if let density {
            writer.double(density.across)
            writer.double(density.down)
        }
        writer.integer(text.count)
        for entry in text {
            // Every keyword is a case.
            writer.integer(PictureText.Keyword.allCases.firstIndex(of: entry.keyword)!)
            writer.text(entry.text, limit: ProtocolLimits.blockContentBytes)
        }
        for data in [exif, xmp] {
            guard let data else { continue }
            writer.integer(data.count)
            writer.raw(data)
        }
        if let digest { writer.raw(digest.bytes) }
    }
}
