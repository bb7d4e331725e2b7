import InkEngine

/// Numbers and texts as Photoshop's files have them.
enum PSDBytes {
    /// The last `count` bytes of a number, the most significant first; any number of zeros.
    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : value < 0 ? 255 : 0 }
    }

    /// The number of UTF-16 units, and the units.
    static func unicode(_ text: String) -> [UInt8] {
        // Longer ones are refused by some readers.
        let units = Array(text.utf16.prefix(255))
        return big(units.count, 4) + units.flatMap { big(Int($0), 2) }
    }
}

/// The resources of a Photoshop file: what it says about itself.
enum PSDResources {
    /// In front of all others, so that its place is known: the digest, and the CRC-32 of the whole file with zeros here.
    private static let digestResource = 4_000
    private static let digestOffset = 26 + 4 + 4 + 12 + 4
    static let checksumOffset = digestOffset + PictureDigest.byteCount

    /// With zeros for the checksum.
    static func make(_ head: PictureHead) -> [UInt8] {
        let description = head.description
        var resources: [UInt8] = []
        if let digest = description.digest {
            resources += resource(digestResource, Array("inKD".utf8) + digest.bytes + big(0, 4))
        }
        // 16.16 fixed point, pixels per inch, shown in centimetres.
        if let density = description.density, max(density.across, density.down) < 32_768 {
            func fixed(_ dots: Double) -> [UInt8] { big(Int((dots * 65_536).rounded()), 4) + big(1, 2) + big(2, 2) }
            resources += resource(1005, fixed(density.across) + fixed(density.down))
        }
        if description.hasProfile { resources += resource(1039, SRGBProfile.bytes) }
        if let exif = ExifData.photo(description, head.size) { resources += resource(1058, exif) }
        if let packet = XMPPacket.make(description) { resources += resource(1060, packet) }
        // The version, and that there is a merged picture.
        let names = PSDBytes.unicode("Ink export farm") + PSDBytes.unicode("Ink export farm")
        return resources + resource(1057, big(1, 4) + [1] + names + big(1, 4))
    }

    private static func resource(_ number: Int, _ data: [UInt8]) -> [UInt8] {
        Array("8BIM".utf8) + big(number, 2) + big(0, 2) + big(data.count, 4) + data + big(0, data.count % 2)
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] { PSDBytes.big(value, count) }

    /// The digest of a complete file; nil for any other.
    static func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path), var head = try file.read(checksumOffset + 4),
            head.starts(with: Array("8BPS".utf8)), head[4] == 0, head[5] == 1 || head[5] == 2,
            head[38..<50].elementsEqual(
                big(digestResource, 2) + big(0, 2) + big(8 + PictureDigest.byteCount, 4) + Array("inKD".utf8))
        else { return nil }
        let stored = bigEndian(head, at: checksumOffset)
        head.replaceSubrange(checksumOffset..., with: big(0, 4))
        var crc = crc32(head)
        while let bytes = try file.readUpTo(BufferedFile.bufferByteCount) { crc = crc32(bytes, seed: crc) }
        guard crc == stored else { return nil }
        return PictureDigest(bytes: Array(head[digestOffset..<checksumOffset]))
    }
}
