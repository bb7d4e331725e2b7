import InkCodecs
package import InkEngine
package import InkProtocol

/// What a worker is asked to make a draft for: all that is known of a picture before its project is read.
package struct DraftOrder: Hashable, Sendable {
    /// The project's name in messages.
    package var name: String
    package var picture: PictureSpec
    /// As in a `PictureOrder`.
    package var software: String
    package var limits: Limits

    package init(name: String, picture: PictureSpec, software: String = "", limits: Limits = Limits()) {
        self.name = name
        self.picture = picture
        self.software = software
        self.limits = limits
    }

    /// More elements than a project within the limits has with what is laid over it.
    var layersMax: Int { saturating(limits.layers, plus: 64) }
    /// More pictures than the files of a project within the limits have: of each element in each form of layered file
    /// the element and its mask, and as many images in files of lines.
    var picturesMax: Int { saturating(layersMax, times: 8) }
    /// More images than these pictures have: of each element a mask and a content, in as many sizes.
    var imagesMax: Int { saturating(saturating(layersMax, times: 2), times: picturesMax) }

    private func saturating(_ value: Int, times factor: Int) -> Int {
        let (product, overflow) = max(0, value).multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }

    private func saturating(_ value: Int, plus other: Int) -> Int { StampCount.saturatingSum(value, other) }
}

/// The form of a draft on the wire; the layout is in docs/protocol.md.
///
/// What follows from the order does not travel, so no worker can change it: the project's name, the files that are
/// wanted, the tiles and the limits. A stroke takes about 7 bytes, and 33 more with its digest; a row of a picture
/// takes 8, nearly all of them 0. With the usual limits all of it is less than what one block may hold, but limits can
/// be raised: therefore the bytes are cut into parts.
extension PictureDraft {
    private static let format: UInt8 = 1

    /// The draft as parts to be made blocks of, in order. Equal drafts give equal bytes.
    ///
    /// - Throws: `overLimit` for one of more parts than may be sent.
    package func encodedParts() throws(ProtocolError) -> [[UInt8]] {
        var writer = ByteWriter()
        writer.uint8(Self.format)
        common.write(to: &writer)
        writer.integer(images.count)
        for image in images { image.write(to: &writer, limits: limits) }
        writer.array(pictures)
        writer.integer(layers.count)
        for nodes in layers {
            writer.bool(nodes != nil)
            if let nodes { writer.layeredNodes(nodes) }
        }
        let (bytes, size) = (writer.bytes, ProtocolLimits.draftPartBytes)
        guard bytes.count <= size * ProtocolLimits.draftParts else {
            throw .overLimit(
                what: "draft", found: UInt64(bytes.count), limit: UInt64(size * ProtocolLimits.draftParts))
        }
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    }

    /// Decodes the parts that a worker has given; every count and value is checked by itself. Whether they fit together
    /// and to the order says `fault(for:blocks:)`.
    ///
    /// - Throws: the errors of `ByteReader`, `trailingBytes`.
    package init(decoding parts: [[UInt8]], for order: DraftOrder) throws(ProtocolError) {
        var reader = InkProtocol.ByteReader(try Self.joined(parts))
        let format = try reader.uint8("draft's format")
        guard format == Self.format else {
            throw .badValue(what: "draft's format", offset: 0, found: "\(format)", expected: "\(Self.format)")
        }
        (name, limits) = (order.name, order.limits)
        (tile, files) = (order.picture.options.tile, order.picture.options.files)
        common = try PictureDescription(from: &reader)
        let imageCount = try reader.count("images", elementBytes: ImageRequest.leastBytes, limit: order.imagesMax)
        images.reserveCapacity(imageCount)
        for _ in 0..<imageCount { images.append(try ImageRequest(from: &reader, limits: limits)) }
        pictures = try reader.array("pictures", elementBytes: DraftPicture.leastBytes, limit: order.picturesMax)
        let fileCount = try reader.count("files", elementBytes: 1, limit: PictureSet.countMax)
        for _ in 0..<fileCount { layers.append(try reader.bool("has layers") ? try reader.layeredNodes() : nil) }
        try reader.finish("draft")
    }

    /// - Throws: `badValue` for parts that are not cut as `encodedParts` does.
    private static func joined(_ parts: [[UInt8]]) throws(ProtocolError) -> [UInt8] {
        guard parts.count <= ProtocolLimits.draftParts else {
            throw .overLimit(
                what: "parts of a draft", found: UInt64(parts.count), limit: UInt64(ProtocolLimits.draftParts))
        }
        for (index, part) in parts.enumerated() {
            let (size, isLast) = (ProtocolLimits.draftPartBytes, index == parts.count - 1)
            guard isLast ? (1...size).contains(part.count) : part.count == size else {
                throw .badValue(
                    what: "part \(index) of a draft", offset: 0, found: "\(part.count) bytes",
                    expected: isLast ? "1 to \(size)" : "\(size)")
            }
        }
        return parts.count == 1 ? parts[0] : Array(parts.joined())
    }

    /// The blocks that it names.
    package var blocks: Set<BlockID> {
        var blocks = Set(images.map(\.file))
        for picture in pictures {
            for layer in picture.scene.layers {
                layer.forEach { layer in for block in layer.marks { blocks.insert(block.id) } }
            }
            for drawing in picture.uses.compactMap(\.drawing) {
                blocks.insert(drawing.picture)
                blocks.formUnion(drawing.marks)
            }
        }
        return blocks
    }
}
