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

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let flags = try reader.flags("description's flags", of: Flags.all)
        self.init(hasProfile: flags.contains(.profile))
        if flags.contains(.density) {
            let across = try reader.double("density", in: PictureDensity.range)
            density = PictureDensity(across: across, down: try reader.double("density", in: PictureDensity.range))
        }
        let count = try reader.count("texts", elementBytes: 2, limit: PictureText.Keyword.allCases.count)
        for _ in 0..<count {
            let keyword = try reader.entry("keyword", of: PictureText.Keyword.allCases)
            text.append(PictureText(keyword, try reader.text("text", limit: ProtocolLimits.blockContentBytes)))
        }
        if flags.contains(.exif) { exif = try reader.bytes(reader.count("exif", elementBytes: 1), "exif") }
        if flags.contains(.xmp) { xmp = try reader.bytes(reader.count("xmp", elementBytes: 1), "xmp") }
        if flags.contains(.digest) {
            digest = PictureDigest(bytes: try reader.bytes(PictureDigest.byteCount, "digest"))
        }
    }

    package func write(to writer: inout ByteWriter) {
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
            writer.entry(entry.keyword, of: PictureText.Keyword.allCases)
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
