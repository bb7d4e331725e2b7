package import InkEngine
import InkSystem

#if canImport(Glibc)
    import Glibc
#endif

/// Writes OpenRaster files (version 0.0.5): a zip archive, in which nothing is compressed again.
package struct ORAWriter {
    /// What an OpenRaster file can hold.
    package static let abilities = LayeredPicture.Abilities(
        hasMasksAndClipping: false, modes: Set(BlendMode.allCases.filter { compositeOperation($0) != nil }),
        hasPassThroughOpacity: false, hasThumbnail: true)

    /// A PNG file on disk.
    package struct Picture: Sendable {
        package var path: String
        package var byteCount: Int
        package var crc: UInt32

        /// - Parameter bytes: the file's.
        package init(path: String, bytes: [UInt8]) {
            self.path = path
            byteCount = bytes.count
            crc = crc32(bytes)
        }
    }

    private struct Entry {
        var name: String
        var crc: UInt32
        var byteCount: Int
        var offset: Int
    }

    /// Offsets and sizes have 32 bits.
    private static let bytesMax = Int(UInt32.max)

    private let picture: LayeredPicture
    private let size: PixelSize
    private let description: PictureDescription
    private let pictures: [LayeredPart: Picture]
    /// The layers' own, in the order of the file's list.
    private let layers: [LayeredPart]

    /// - Parameter pictures: of every part.
    /// - Throws: `internalError` where one is missing.
    package init(
        _ picture: LayeredPicture, size: PixelSize, _ description: PictureDescription,
        pictures: [LayeredPart: Picture]
    ) throws(EngineError) {
        for part in picture.parts where pictures[part] == nil {
            throw .internalError("a layered picture without one of its parts")
        }
        self.picture = picture
        self.size = size
        self.description = description
        self.pictures = pictures
        layers = picture.parts.filter { $0 != .merged && $0 != .thumbnail }
    }

    /// Writes all of it.
    /// - Throws: `io`, and `overLimit` at `place` if it becomes larger than 4 GiB.
    package func write(to sink: inout LayeredSink, place: Place) throws(EngineError) {
        let total = pictures.values.reduce(0) { $0 + $1.byteCount + 200 }
        guard total < ORAWriter.bytesMax - (16 << 20) else {
            throw .overLimit(place, what: "the file", found: "\(total) bytes", limit: "4 GiB in ora")
        }
        var entries: [Entry] = []
        try add("mimetype", Array("image/openraster".utf8), &entries, &sink)
        try add("stack.xml", Array(stackText.utf8), &entries, &sink)
        for (index, part) in layers.enumerated() { try add("data/layer\(index).png", part, &entries, &sink) }
        try add("mergedimage.png", .merged, &entries, &sink)
        try add("Thumbnails/thumbnail.png", .thumbnail, &entries, &sink)
        let start = sink.byteCount
        for entry in entries {
            try sink.write(
                Array("PK".utf8) + [1, 2] + little(20, 2) + common(entry) + little(0, 2) + little(0, 2) + little(0, 2)
                    + little(0, 4) + little(entry.offset, 4) + Array(entry.name.utf8))
        }
        let comment = description.digest.map(ArchiveDigest.comment) ?? []
        try sink.write(
            Array("PK".utf8) + [5, 6] + little(0, 4) + little(entries.count, 2) + little(entries.count, 2)
                + little(sink.byteCount - start, 4) + little(start, 4)
                + little(comment.isEmpty ? 0 : comment.count + ArchiveDigest.checksumDigits, 2) + comment)
        if !comment.isEmpty { try sink.write(ArchiveDigest.checksum(sink.crc)) }
    }

    private func add(
        _ name: String, _ bytes: [UInt8], _ entries: inout [Entry], _ sink: inout LayeredSink
    ) throws(EngineError) {
        try begin(
            Entry(name: name, crc: crc32(bytes), byteCount: bytes.count, offset: sink.byteCount), &entries, &sink)
        try sink.write(bytes)
    }

    private func add(
        _ name: String, _ part: LayeredPart, _ entries: inout [Entry], _ sink: inout LayeredSink
    ) throws(EngineError) {
        guard let found = pictures[part] else { return }
        try begin(
            Entry(name: name, crc: found.crc, byteCount: found.byteCount, offset: sink.byteCount), &entries, &sink)
        let file = try EngineError.wrapping { () throws(SystemFailure) in
            try FileDescriptor(opening: found.path, flags: O_RDONLY, operation: "open")
        }
        try sink.copy(file, range: 0..<found.byteCount)
    }

    private func begin(_ entry: Entry, _ entries: inout [Entry], _ sink: inout LayeredSink) throws(EngineError) {
        entries.append(entry)
        try sink.write(Array("PK".utf8) + [3, 4] + common(entry) + Array(entry.name.utf8))
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
        text += "<image version=\"0.0.5\" w=\"\(size.width)\" h=\"\(size.height)\""
        if let density = description.density {
            text += " xres=\"\(Int(density.across.rounded()))\" yres=\"\(Int(density.down.rounded()))\""
        }
        text += ">\n<stack>\n"
        var index = layers.count
        add(picture.nodes, indent: "  ", &index, to: &text)
        return text + "</stack>\n</image>\n"
    }

    /// From the top down, so that the pictures are met from the last to the first.
    private func add(_ nodes: [LayeredNode], indent: String, _ index: inout Int, to text: inout String) {
        for node in nodes.reversed() {
            var attributes = "name=\"\(node.name.xmlEscaped)\" opacity=\"\(shown(node.opacity))\""
            attributes += " visibility=\"\(node.isVisible ? "visible" : "hidden")\""
            let operation = ORAWriter.compositeOperation(node.blendMode) ?? "svg:src-over"
            attributes += " composite-op=\"\(operation)\""
            switch node.kind {
            case .picture:
                index -= 1
                text += "\(indent)<layer \(attributes) src=\"data/layer\(index).png\" x=\"0\" y=\"0\"/>\n"
            case .group(let inside, let isPassThrough, _):
                text += "\(indent)<stack \(attributes) isolation=\"\(isPassThrough ? "auto" : "isolate")\">\n"
                add(inside, indent: indent + "  ", &index, to: &text)
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
