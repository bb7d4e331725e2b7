public import InkEngine

/// A file of lines and areas to write.
public struct DrawTask: Hashable, Sendable {
    /// The block that holds the picture (`DrawnPictureBlock`).
    public var picture: BlockID
    /// Blocks of its marks: of its strokes in order, and of its shapes in order.
    public var marks: [BlockID]
    /// Its images, in the order in which the file takes them: tiles, and how they are encoded.
    public var images: [FinishTask]

    public init(picture: BlockID, marks: [BlockID], images: [FinishTask] = []) {
        self.picture = picture
        self.marks = marks
        self.images = images
    }
}

extension DrawTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        picture = try BlockID(from: &reader)
        marks = try reader.array("blocks of marks", elementBytes: 32)
        images = try reader.array("images", elementBytes: FinishTask.leastBytes)
    }

    package func write(to writer: inout ByteWriter) {
        picture.write(to: &writer)
        writer.array(marks)
        writer.array(images)
    }
}
