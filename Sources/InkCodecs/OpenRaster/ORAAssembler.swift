import InkEngine

/// Writes OpenRaster files (version 0.0.5): a zip archive, in which nothing is compressed again.
struct ORAAssembler: PictureAssembler {
    /// What an OpenRaster file can hold.
    static let abilities = LayeredPicture.Abilities(
        hasMasksAndClipping: false, modes: Set(BlendMode.allCases.filter { compositeOperation($0) != nil }),
        hasPassThroughOpacity: false, hasThumbnail: true)

    private struct Entry {
        var name: String
        var crc: UInt32 = 0
        var byteCount = 0
        var offset: Int
    }

    /// A picture that comes in, in the archive's last entry.
    private struct OpenPicture {
        var png: any PictureAssembler
        var rowsLeft: Int
    }

    /// Offsets and sizes have 32 bits.
    private static let bytesMax = Int(UInt32.max) - (16 << 20)

    private let head: PictureHead
    private let layout: LayeredLayout
    private var entries: [Entry] = []
    private var byteCount = 0
    /// The checksum of all bytes before the entry that comes in.
    private var crc: UInt32 = 0
    private var open: OpenPicture?

    // The size of an entry is known when it has been written.
    var isAppendOnly: Bool { false }

    /// - Throws: `EngineError.internalError` if it is not said what the file consists of.
    init(_ head: PictureHead) throws(EngineError) {
        guard let layers = head.layers else { throw .internalError("a layered file without layers") }
        self.head = head
        layout = layers
    }

    mutating func begin() -> [PictureWrite] {
        entry("mimetype", Array("image/openraster".utf8)) + entry("stack.xml", Array(stackText.utf8))
    }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        var writes: [PictureWrite] = []
        if open == nil { writes += openPicture(piece.picture) }
        guard var picture = open else { return writes }
        writes += taken(picture.png.add(piece))
        picture.rowsLeft -= piece.rowCount
        open = picture
        if picture.rowsLeft <= 0 {
            writes += taken(picture.png.end())
            open = nil
            writes += closeEntry()
        }
        return byteCount > ORAAssembler.bytesMax
            ? [.refuse(.overLimit(Place(file: "ora"), what: "the file", found: "\(byteCount) bytes", limit: "4 GiB"))]
            : writes
    }

    mutating func end() -> [PictureWrite] {
        var writes: [PictureWrite] = []
        // No pieces came of what has no pixels, and a layer has a picture.
        for (index, part) in layout.parts.enumerated() where part.rect.isEmpty {
            do throws(EngineError) {
                let png = try WholePNG.encode(
                    samples: [0, 0, 0, 0], size: PixelSize(width: 1, height: 1), format: .rgba8)
                writes += entry(name(ofPart: index), png)
            } catch {
                return [.refuse(error)]
            }
        }
        let start = byteCount
        var directory: [UInt8] = []
        for entry in entries {
            directory +=
                Array("PK".utf8) + [1, 2] + little(20, 2) + common(entry) + little(0, 2) + little(0, 2) + little(0, 2)
                + little(0, 4) + little(entry.offset, 4) + Array(entry.name.utf8)
        }
        let comment = head.description.digest.map(ArchiveDigest.comment) ?? []
        let end =
            directory + Array("PK".utf8) + [5, 6] + little(0, 4) + little(entries.count, 2) + little(entries.count, 2)
            + little(directory.count, 4) + little(start, 4)
            + little(comment.isEmpty ? 0 : comment.count + ArchiveDigest.checksumDigits, 2) + comment
        return writes + [.append(end + (comment.isEmpty ? [] : ArchiveDigest.checksum(crc32(end, seed: crc))))]
    }

    // MARK: - Entries

    private mutating func openPicture(_ index: Int) -> [PictureWrite] {
        let part = layout.parts[index]
        var description = part.source == .whole ? head.description : PictureDescription()
        description.digest = nil
        do throws(EngineError) {
            let png = try PNGCodec().makeAssembler(
                PictureHead(size: part.rect.size, pixels: part.pixels, description: description))
            var picture = OpenPicture(png: png, rowsLeft: part.rect.height)
            let header = openEntry(name(ofPart: index))
            let first = taken(picture.png.begin())
            open = picture
            return header + first
        } catch {
            return [.refuse(error)]
        }
    }

    private func name(ofPart index: Int) -> String {
        switch layout.parts[index].source {
        case .whole: "mergedimage.png"
        case .thumbnail: "Thumbnails/thumbnail.png"
        // The first picture is the whole one.
        case .background, .baseImage, .element, .mask, .drawn: "data/layer\(index - 1).png"
        }
    }

    private mutating func entry(_ name: String, _ bytes: [UInt8]) -> [PictureWrite] {
        let header = openEntry(name)
        let content = taken([.append(bytes)])
        return header + content + closeEntry()
    }

    /// Begins an entry without its checksum and sizes.
    private mutating func openEntry(_ name: String) -> [PictureWrite] {
        let entry = Entry(name: name, offset: byteCount)
        entries.append(entry)
        let header = localHeader(entry)
        byteCount += header.count
        return [.append(header)]
    }

    /// Counts what is appended to the last entry.
    private mutating func taken(_ writes: [PictureWrite]) -> [PictureWrite] {
        for case .append(let bytes, _) in writes {
            entries[entries.count - 1].crc = crc32(bytes, seed: entries[entries.count - 1].crc)
            entries[entries.count - 1].byteCount += bytes.count
            byteCount += bytes.count
        }
        return writes
    }

    private mutating func closeEntry() -> [PictureWrite] {
        let entry = entries[entries.count - 1]
        let header = localHeader(entry)
        crc = combinedCRC32(crc32(header, seed: crc), entry.crc, lengthB: entry.byteCount)
        return [.patch(header, at: entry.offset)]
    }

    private func localHeader(_ entry: Entry) -> [UInt8] {
        Array("PK".utf8) + [3, 4] + common(entry) + Array(entry.name.utf8)
    }

    /// Version, flags, method (stored), time and date (1 January 1980, so that equal projects give equal files),
    /// checksum, sizes, lengths of name and further fields.
    private func common(_ entry: Entry) -> [UInt8] {
        little(20, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0x21, 2) + little(Int(entry.crc), 4)
            + little(entry.byteCount, 4) + little(entry.byteCount, 4) + little(entry.name.utf8.count, 2) + little(0, 2)
    }

    private func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    // MARK: - The list of layers

    /// The file's `stack.xml`.
    var stackText: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<image version=\"0.0.5\" w=\"\(head.size.width)\" h=\"\(head.size.height)\""
        if let density = head.description.density {
            text += " xres=\"\(Int(density.across.rounded()))\" yres=\"\(Int(density.down.rounded()))\""
        }
        text += ">\n<stack>\n"
        add(layout.nodes, indent: "  ", to: &text)
        return text + "</stack>\n</image>\n"
    }

    /// From the top down.
    private func add(_ nodes: [LayeredNode], indent: String, to text: inout String) {
        for node in nodes.reversed() {
            var attributes = "name=\"\(node.name.xmlEscaped)\" opacity=\"\(shown(node.opacity))\""
            attributes += " visibility=\"\(node.isVisible ? "visible" : "hidden")\""
            let operation = ORAAssembler.compositeOperation(node.blendMode) ?? "svg:src-over"
            attributes += " composite-op=\"\(operation)\""
            switch node.kind {
            case .picture(let source):
                guard let index = layout.parts.firstIndex(where: { $0.source == source }) else { continue }
                let rect = layout.parts[index].rect
                text += "\(indent)<layer \(attributes) src=\"data/layer\(index - 1).png\""
                text += " x=\"\(rect.x)\" y=\"\(rect.y)\"/>\n"
            case .group(let inside, let isPassThrough, _):
                text += "\(indent)<stack \(attributes) isolation=\"\(isPassThrough ? "auto" : "isolate")\">\n"
                add(inside, indent: indent + "  ", to: &text)
                text += "\(indent)</stack>\n"
            }
        }
    }

    private func shown(_ opacity: Double) -> String { String((opacity * 10_000).rounded() / 10_000) }

    /// The name of a mode; nil for one that the format does not have.
    private static func compositeOperation(_ mode: BlendMode) -> String? {
        switch mode {
        case .normal: "svg:src-over"
        case .plus: "svg:plus"
        case .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight,
            .difference, .hue, .saturation, .color, .luminosity:
            "svg:\(mode.hyphenatedName)"
        case .exclusion, .linearDodge, .linearBurn, .linearLight, .vividLight, .pinLight, .hardMix, .subtract, .divide,
            .darkerColor, .lighterColor:
            nil
        }
    }
}
