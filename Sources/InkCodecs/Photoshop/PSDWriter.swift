package import InkEngine
import InkSystem

/// Writes Photoshop's files (Adobe Photoshop File Formats Specification, 2019), all channels packed by `PackBits`.
package struct PSDWriter {
    /// The longest edge in a PSB; PSD itself ends at 30,000.
    static let edgePixelsMax = 300_000
    private static let smallEdgePixelsMax = 30_000
    /// Lengths in a PSD have 32 bits, and readers take them as signed.
    private static let smallBytesMax = Int(Int32.max)
    /// Photoshop's own limit.
    private static let recordsMax = 8_000

    /// What a PSD can hold.
    package static let abilities = LayeredPicture.Abilities(
        hasMasksAndClipping: true, modes: Set(BlendMode.allCases).subtracting([.plus]), hasPassThroughOpacity: true,
        hasThumbnail: false)

    private let size: PixelSize
    private let description: PictureDescription
    private let merged: PackedPlanes
    private let records: [Record]
    /// Whether the file is a PSB.
    package let isLarge: Bool

    /// What a record is about.
    private enum Content {
        /// A picture's channels.
        case picture(PackedPlanes)
        /// The beginning of a group in the file, which is its lower end.
        case groupEnd
        case group(isPassThrough: Bool, mask: PackedPlanes?)
    }

    private struct Record {
        var node: LayeredNode
        var content: Content

        var channels: [(number: Int, planes: PackedPlanes?, plane: Int)] {
            switch content {
            case .picture(let planes): [(-1, planes, 3), (0, planes, 0), (1, planes, 1), (2, planes, 2)]
            case .groupEnd, .group(_, nil): [(-1, nil, 0), (0, nil, 0), (1, nil, 0), (2, nil, 0)]
            case .group(_, let mask): [(-1, nil, 0), (0, nil, 0), (1, nil, 0), (2, nil, 0), (-2, mask, 0)]
            }
        }
    }

    /// - Parameters:
    ///   - isLarge: whether a PSB is asked for; it is one also where a PSD does not suffice.
    ///   - planes: of every part, masks as `.mask`, the merged picture as `.merged`.
    /// - Throws: `internalError` where one is missing.
    package init(
        _ picture: LayeredPicture, size: PixelSize, _ description: PictureDescription, isLarge: Bool,
        planes: [LayeredPart: PackedPlanes]
    ) throws(EngineError) {
        guard let merged = planes[.merged] else { throw .internalError("a layered picture without its picture") }
        self.size = size
        self.description = description
        self.merged = merged
        var records: [Record] = []
        try PSDWriter.add(picture.nodes, planes, to: &records)
        self.records = records
        let packed = records.flatMap(\.channels).reduce(merged.byteCounts.reduce(0, +)) { sum, channel in
            sum + (channel.planes.map { $0.byteCounts[channel.plane] + $0.tableByteCount(isLarge: false) } ?? 0)
        }
        // Names and the like are small beside the margin.
        self.isLarge =
            isLarge || size.longestEdge > PSDWriter.smallEdgePixelsMax
            || packed > PSDWriter.smallBytesMax - (64 << 20)
    }

    /// Rejects a picture that the format cannot hold.
    ///
    /// - Throws: `overLimit` at `place`.
    package static func check(_ picture: LayeredPicture, place: Place) throws(EngineError) {
        let count = picture.elementCount * 2
        guard count <= recordsMax else {
            throw .overLimit(
                place, what: "the number of layers and groups", found: "\(picture.elementCount)",
                limit: "\(recordsMax / 2) in psd")
        }
    }

    private static func add(
        _ nodes: [LayeredNode], _ planes: [LayeredPart: PackedPlanes], to records: inout [Record]
    ) throws(EngineError) {
        func found(_ part: LayeredPart) throws(EngineError) -> PackedPlanes {
            guard let found = planes[part] else { throw .internalError("a layered picture without one of its parts") }
            return found
        }
        for node in nodes {
            switch node.kind {
            case .picture(let part): records.append(Record(node: node, content: .picture(try found(part))))
            case .group(let inside, let isPassThrough, let mask):
                var end = LayeredNode(name: "</Layer group>", kind: node.kind)
                end.isVisible = true
                records.append(Record(node: end, content: .groupEnd))
                try add(inside, planes, to: &records)
                let mask = try mask.map { (part) throws(EngineError) in try found(part) }
                records.append(Record(node: node, content: .group(isPassThrough: isPassThrough, mask: mask)))
            }
        }
    }

    // MARK: - Writing

    /// Writes all of it.
    /// - Throws: `io`.
    package func write(to sink: inout LayeredSink) throws(EngineError) {
        let channels = merged.byteCounts.count
        try sink.write(
            Array("8BPS".utf8) + big(isLarge ? 2 : 1, 2) + big(0, 6) + big(channels, 2) + big(size.height, 4)
                + big(size.width, 4) + big(8, 2) + big(3, 2) + big(0, 4))
        let resources = resources
        try sink.write(big(resources.count, 4) + resources)
        try writeLayers(hasAlpha: channels == 4, to: &sink)
        try sink.write(big(1, 2))
        for channel in 0..<channels { try merged.copyTable(channel, isLarge: isLarge, to: &sink) }
        for channel in 0..<channels { try merged.copyRows(channel, to: &sink) }
        if description.digest != nil { try sink.patch(bigEndian(sink.crc), at: PSDWriter.checksumOffset) }
    }

    private func writeLayers(hasAlpha: Bool, to sink: inout LayeredSink) throws(EngineError) {
        guard !records.isEmpty else { return try sink.write(big(0, lengthBytes)) }
        let heads = records.flatMap { bytes(of: $0) }
        let data = records.flatMap(\.channels).reduce(0) { $0 + byteCount($1.planes, $1.plane) }
        // The number of layers is negative where the merged picture has alpha.
        let infoBytes = 2 + heads.count + data
        let padding = (4 - infoBytes % 4) % 4
        try sink.write(big(lengthBytes + infoBytes + padding + 4, lengthBytes) + big(infoBytes + padding, lengthBytes))
        try sink.write(big(hasAlpha ? -records.count : records.count, 2) + heads)
        for (_, planes, plane) in records.flatMap(\.channels) {
            guard let planes, !planes.bounds.isEmpty else {
                try sink.write(big(0, 2))
                continue
            }
            try sink.write(big(1, 2))
            try planes.copyTable(plane, isLarge: isLarge, to: &sink)
            try planes.copyRows(plane, to: &sink)
        }
        // No global mask.
        try sink.write(big(0, padding + 4))
    }

    private var lengthBytes: Int { isLarge ? 8 : 4 }

    private func byteCount(_ planes: PackedPlanes?, _ plane: Int) -> Int {
        guard let planes, !planes.bounds.isEmpty else { return 2 }
        return 2 + planes.tableByteCount(isLarge: isLarge) + planes.byteCounts[plane]
    }

    private func bytes(of record: Record) -> [UInt8] {
        let node = record.node
        var (bounds, mask): (PixelRect?, PixelRect?)
        var (key, divider): (String, [UInt8]?) = (PSDWriter.key(of: node.blendMode), nil)
        switch record.content {
        case .picture(let planes): bounds = planes.bounds
        case .groupEnd:
            key = PSDWriter.key(of: .normal)
            divider = big(3, 4)
        case .group(let isPassThrough, let planes):
            if isPassThrough { key = "pass" }
            // An open folder.
            divider = big(1, 4) + Array("8BIM\(key)".utf8)
            mask = planes?.bounds
        }
        var bytes = edges(of: bounds)
        bytes += big(record.channels.count, 2)
        for channel in record.channels {
            bytes += big(channel.number, 2) + big(byteCount(channel.planes, channel.plane), lengthBytes)
        }
        bytes += Array("8BIM\(key)".utf8)
        // Visible or not; the flag of 8 says that the one of 16 means something: no pixels that matter.
        let flags: UInt8 = (node.isVisible ? 0 : 2) | 8 | (divider == nil ? 0 : 16)
        bytes += [UInt8((node.opacity * 255).rounded()), node.isClipped ? 1 : 0, flags, 0]
        // 0 beyond the mask's rectangle, and two bytes of padding.
        var extra = mask.map { big(20, 4) + edges(of: $0) + big(0, 4) } ?? big(0, 4)
        extra += big(0, 4)
        let name = PSDWriter.plainName(node.name)
        extra += name + big(0, (4 - name.count % 4) % 4)
        extra += block("luni", PSDWriter.unicode(node.name))
        if let divider { extra += block("lsct", divider) }
        return bytes + big(extra.count, 4) + extra
    }

    /// Top, left, bottom, right.
    private func edges(of bounds: PixelRect?) -> [UInt8] {
        guard let bounds, !bounds.isEmpty else { return big(0, 16) }
        return big(bounds.y, 4) + big(bounds.x, 4) + big(bounds.rows.upperBound, 4) + big(bounds.columns.upperBound, 4)
    }

    private func block(_ key: String, _ data: [UInt8]) -> [UInt8] {
        let padding = (4 - data.count % 4) % 4
        return Array("8BIM\(key)".utf8) + big(data.count + padding, 4) + data + big(0, padding)
    }

    // MARK: - Resources

    /// In front of all others, so that its place is known: the digest, and the CRC-32 of the whole file with zeros here.
    private static let digestResource = 4_000
    private static let checksumOffset = digestOffset + PictureDigest.byteCount
    private static let digestOffset = 26 + 4 + 4 + 12 + 4

    private var resources: [UInt8] {
        var resources: [UInt8] = []
        if let digest = description.digest {
            resources += resource(PSDWriter.digestResource, Array("inKD".utf8) + digest.bytes + big(0, 4))
        }
        // 16.16 fixed point, pixels per inch, shown in centimetres.
        if let density = description.density, max(density.across, density.down) < 32_768 {
            func fixed(_ dots: Double) -> [UInt8] { big(Int((dots * 65_536).rounded()), 4) + big(1, 2) + big(2, 2) }
            resources += resource(1005, fixed(density.across) + fixed(density.down))
        }
        if description.hasProfile { resources += resource(1039, SRGBProfile.bytes) }
        if let exif = ExifData.photo(description, size) { resources += resource(1058, exif) }
        if let packet = XMPPacket.make(description) { resources += resource(1060, packet) }
        // The version, and that there is a merged picture.
        let names = PSDWriter.unicode("Ink export farm") + PSDWriter.unicode("Ink export farm")
        resources += resource(1057, big(1, 4) + [1] + names + big(1, 4))
        return resources
    }

    private func resource(_ number: Int, _ data: [UInt8]) -> [UInt8] {
        Array("8BIM".utf8) + big(number, 2) + big(0, 2) + big(data.count, 4) + data + big(0, data.count % 2)
    }

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

    // MARK: - Values

    private static func key(of mode: BlendMode) -> String {
        switch mode {
        case .normal: "norm"
        case .multiply: "mul "
        case .screen: "scrn"
        case .overlay: "over"
        case .darken: "dark"
        case .lighten: "lite"
        case .colorDodge: "div "
        case .colorBurn: "idiv"
        case .hardLight: "hLit"
        case .softLight: "sLit"
        case .difference: "diff"
        case .exclusion: "smud"
        case .hue: "hue "
        case .saturation: "sat "
        case .color: "colr"
        case .luminosity: "lum "
        case .plus, .linearDodge: "lddg"
        case .linearBurn: "lbrn"
        case .linearLight: "lLit"
        case .vividLight: "vLit"
        case .pinLight: "pLit"
        case .hardMix: "hMix"
        case .subtract: "fsub"
        case .divide: "fdiv"
        case .darkerColor: "dkCl"
        case .lighterColor: "lgCl"
        }
    }

    /// The length in a byte, and what of a name is ASCII, for readers that do not know the other name.
    private static func plainName(_ name: String) -> [UInt8] {
        let letters = name.unicodeScalars.prefix(255).map { scalar in
            (0x20..<0x7F).contains(scalar.value) ? UInt8(scalar.value) : UInt8(ascii: "?")
        }
        return [UInt8(letters.count)] + letters
    }

    /// The number of UTF-16 units, and the units.
    private static func unicode(_ text: String) -> [UInt8] {
        // Longer ones are refused by some readers.
        let units = Array(text.utf16.prefix(255))
        return big(units.count, 4) + units.flatMap { big(Int($0), 2) }
    }

    private func big(_ value: Int, _ count: Int) -> [UInt8] { PSDWriter.big(value, count) }

    /// The last `count` bytes of a number, the most significant first; any number of zeros.
    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : value < 0 ? 255 : 0 }
    }
}
