import InkEngine

/// What Photoshop's files can hold.
enum PSDLimits {
    /// The longest edge in a PSB; PSD itself ends at 30,000.
    static let edgePixelsMax = 300_000
    static let smallEdgePixelsMax = 30_000
    /// Lengths in a PSD have 32 bits, and readers take them as signed.
    static let smallBytesMax = Int(Int32.max)
    /// Photoshop's own limit.
    static let recordsMax = 8_000

    static let abilities = LayeredPicture.Abilities(
        hasMasksAndClipping: true, modes: Set(BlendMode.allCases).subtracting([.plus]), hasPassThroughOpacity: true,
        hasThumbnail: false)
}

/// Writes Photoshop's files (Adobe Photoshop File Formats Specification, 2019), all channels packed by `PackBits`.
///
/// What the packed rows take is known when all of them are there, and comes before them in the file: until then they are
/// in stores.
struct PSDAssembler: PictureAssembler {
    /// A packed channel of a picture.
    private struct Plane {
        /// The bytes of each row.
        var rowSizes: [UInt32] = []
        var byteCount = 0
        var crc: UInt32 = 0
        /// Where it begins in its store.
        var offset = 0
    }

    /// A picture of the file.
    private struct Part {
        let layout: LayeredLayout.Part
        var planes: [Plane]

        func tableByteCount(isLarge: Bool) -> Int { layout.rect.height * (isLarge ? 4 : 2) }
    }

    /// Numbers of stores: the channels of the picture of all layers, those of the layer that comes in, and those of all
    /// layers before, one after the other.
    private enum Store {
        static func whole(_ channel: Int) -> Int { 1 + channel }
        static func layer(_ channel: Int) -> Int { 5 + channel }
        static let layers = 9
    }

    /// What a record is about.
    private enum Content {
        /// A picture's channels.
        case picture(Part)
        /// The beginning of a group in the file, which is its lower end.
        case groupEnd
        case group(isPassThrough: Bool, mask: Part?)
    }

    private struct Record {
        var node: LayeredNode
        var content: Content

        /// Those without a part have no pixels.
        var channels: [(number: Int, part: Part?, plane: Int)] {
            switch content {
            case .picture(let part) where !part.layout.rect.isEmpty:
                [(-1, part, 3), (0, part, 0), (1, part, 1), (2, part, 2)]
            case .picture, .groupEnd, .group(_, nil): [(-1, nil, 0), (0, nil, 0), (1, nil, 0), (2, nil, 0)]
            case .group(_, let mask):
                [
                    (-1, nil, 0), (0, nil, 0), (1, nil, 0), (2, nil, 0),
                    (-2, mask.flatMap { $0.layout.rect.isEmpty ? nil : $0 }, 3),
                ]
            }
        }
    }

    private let head: PictureHead
    private let nodes: [LayeredNode]
    private var parts: [Part]
    private var layersByteCount = 0
    /// Whether the file is a PSB.
    private var isLarge: Bool
    private var crc: UInt32 = 0

    /// - Throws: `EngineError.internalError` if it is not said what the file consists of.
    init(_ head: PictureHead) throws(EngineError) {
        guard let layers = head.layers, layers.parts.first?.source == .whole else {
            throw .internalError("a layered file without layers")
        }
        self.head = head
        nodes = layers.nodes
        parts = layers.parts.map { part in
            Part(layout: part, planes: Array(repeating: Plane(), count: part.pixels.bytesPerPixel))
        }
        isLarge = head.encoding.format == .psb || head.size.longestEdge > PSDLimits.smallEdgePixelsMax
    }

    // MARK: - Pieces

    func begin() -> [PictureWrite] { [] }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        let index = piece.picture
        let layout = parts[index].layout
        guard
            let rows = PackedRows(
                piece.bytes[...], rowCount: piece.rowCount, width: layout.rect.width, pixels: layout.pixels)
        else { preconditionFailure("a piece that was not checked") }
        var isMask = false
        if case .mask = layout.source { isMask = true }
        var writes: [PictureWrite] = []
        // The colour of a mask's picture says nothing.
        for (channel, packed) in rows.channels.enumerated() where !isMask || channel == 3 {
            let bytes = Array(piece.bytes[packed.bytes])
            parts[index].planes[channel].rowSizes += packed.sizes
            parts[index].planes[channel].byteCount += bytes.count
            parts[index].planes[channel].crc = crc32(bytes, seed: parts[index].planes[channel].crc)
            writes.append(.append(bytes, to: index == 0 ? Store.whole(channel) : Store.layer(channel)))
        }
        guard index > 0, parts[index].planes.last?.rowSizes.count == layout.rect.height else { return writes }
        for channel in parts[index].planes.indices {
            parts[index].planes[channel].offset = layersByteCount
            layersByteCount += parts[index].planes[channel].byteCount
            writes.append(.move(Store.layer(channel), to: Store.layers))
        }
        return writes
    }

    mutating func end() -> [PictureWrite] {
        let records = records(of: nodes)
        let packed = records.flatMap(\.channels).reduce(parts[0].planes.reduce(0) { $0 + $1.byteCount }) {
            sum, channel in
            sum + (channel.part.map { $0.planes[channel.plane].byteCount + $0.tableByteCount(isLarge: false) } ?? 0)
        }
        // Names and the like are small beside the margin.
        isLarge = isLarge || packed > PSDLimits.smallBytesMax - (64 << 20)
        let whole = parts[0]
        let channels = whole.planes.count
        let resources = PSDResources.make(head)
        var first =
            Array("8BPS".utf8) + big(isLarge ? 2 : 1, 2) + big(0, 6) + big(channels, 2) + big(head.size.height, 4)
            + big(head.size.width, 4) + big(8, 2) + big(3, 2) + big(0, 4) + big(resources.count, 4) + resources
        crc = crc32(first)
        var writes: [PictureWrite] = []
        writeLayers(records, hasAlpha: channels == 4, to: &writes)
        append(big(1, 2) + whole.planes.flatMap { table($0) }, to: &writes)
        for channel in 0..<channels {
            crc = combinedCRC32(crc, whole.planes[channel].crc, lengthB: whole.planes[channel].byteCount)
            writes.append(.move(Store.whole(channel)))
        }
        if head.description.digest != nil {
            first.replaceSubrange(
                PSDResources.checksumOffset..<(PSDResources.checksumOffset + 4), with: bigEndian(crc))
        }
        return [.append(first)] + writes
    }

    private mutating func append(_ bytes: [UInt8], to writes: inout [PictureWrite]) {
        crc = crc32(bytes, seed: crc)
        writes.append(.append(bytes))
    }

    /// The sizes of a channel's rows, each of 4 bytes, or of 2 where they suffice.
    private func table(_ plane: Plane) -> [UInt8] {
        plane.rowSizes.flatMap {
            isLarge ? bigEndian($0) : [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
    }

    // MARK: - Layers

    private func records(of nodes: [LayeredNode]) -> [Record] {
        return nodes.flatMap { node -> [Record] in
            switch node.kind {
            case .picture(let source):
                guard let part = parts.first(where: { $0.layout.source == source }) else { return [] }
                return [Record(node: node, content: .picture(part))]
            case .group(let inside, let isPassThrough, let mask):
                var end = LayeredNode(name: "</Layer group>", kind: node.kind)
                end.isVisible = true
                let group = Content.group(
                    isPassThrough: isPassThrough,
                    mask: mask.flatMap { source in parts.first { $0.layout.source == source } })
                return [Record(node: end, content: .groupEnd)] + records(of: inside)
                    + [Record(node: node, content: group)]
            }
        }
    }

    private mutating func writeLayers(_ records: [Record], hasAlpha: Bool, to writes: inout [PictureWrite]) {
        guard !records.isEmpty else { return append(big(0, lengthBytes), to: &writes) }
        let heads = records.flatMap { bytes(of: $0) }
        let data = records.flatMap(\.channels).reduce(0) { $0 + byteCount($1.part, $1.plane) }
        // The number of layers is negative where the merged picture has alpha.
        let infoBytes = 2 + heads.count + data
        let padding = (4 - infoBytes % 4) % 4
        append(
            big(lengthBytes + infoBytes + padding + 4, lengthBytes) + big(infoBytes + padding, lengthBytes)
                + big(hasAlpha ? -records.count : records.count, 2) + heads, to: &writes)
        for (_, part, plane) in records.flatMap(\.channels) {
            guard let part else {
                append(big(0, 2), to: &writes)
                continue
            }
            let plane = part.planes[plane]
            append(big(1, 2) + table(plane), to: &writes)
            crc = combinedCRC32(crc, plane.crc, lengthB: plane.byteCount)
            writes.append(.copy(Store.layers, at: plane.offset, count: plane.byteCount))
        }
        // No global mask.
        append(big(0, padding + 4), to: &writes)
    }

    private var lengthBytes: Int { isLarge ? 8 : 4 }

    private func byteCount(_ part: Part?, _ plane: Int) -> Int {
        part.map { 2 + $0.tableByteCount(isLarge: isLarge) + $0.planes[plane].byteCount } ?? 2
    }

    private func bytes(of record: Record) -> [UInt8] {
        let node = record.node
        var (bounds, mask): (PixelRect?, PixelRect?)
        var (key, divider): (String, [UInt8]?) = (PSDAssembler.key(of: node.blendMode), nil)
        switch record.content {
        case .picture(let part): bounds = part.layout.rect
        case .groupEnd:
            key = PSDAssembler.key(of: .normal)
            divider = big(3, 4)
        case .group(let isPassThrough, let part):
            if isPassThrough { key = "pass" }
            // An open folder.
            divider = big(1, 4) + Array("8BIM\(key)".utf8)
            mask = part?.layout.rect
        }
        var bytes = edges(of: bounds)
        bytes += big(record.channels.count, 2)
        for channel in record.channels {
            bytes += big(channel.number, 2) + big(byteCount(channel.part, channel.plane), lengthBytes)
        }
        bytes += Array("8BIM\(key)".utf8)
        // Visible or not; the flag of 8 says that the one of 16 means something: no pixels that matter.
        let flags: UInt8 = (node.isVisible ? 0 : 2) | 8 | (divider == nil ? 0 : 16)
        bytes += [UInt8((node.opacity * 255).rounded()), node.isClipped ? 1 : 0, flags, 0]
        // 0 beyond the mask's rectangle, and two bytes of padding.
        var extra = mask.map { big(20, 4) + edges(of: $0) + big(0, 4) } ?? big(0, 4)
        extra += big(0, 4)
        let name = PSDAssembler.plainName(node.name)
        extra += name + big(0, (4 - name.count % 4) % 4)
        extra += block("luni", PSDBytes.unicode(node.name))
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

    private func big(_ value: Int, _ count: Int) -> [UInt8] { PSDBytes.big(value, count) }
}
