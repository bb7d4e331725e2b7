import InkCodecs
package import InkEngine
package import InkProtocol

/// v image, placement?, of a placed one f64 value outside 0 to 1; u8 filter.
extension SceneImage: WireValue where Source == Int {
    package init(from reader: inout InkProtocol.ByteReader) throws(ProtocolError) {
        let source = try reader.integer("image", in: 0...Int(Int32.max))
        let placement: Placement? = try reader.optional("has placement")
        // As in a tile's task, only a placed image has an outside.
        self.init(
            source, placement: placement, outside: placement == nil ? 0 : try reader.double("outside", in: 0...1),
            filter: try ContentFilter(from: &reader))
    }

    package func write(to writer: inout ByteWriter) {
        writer.integer(source)
        writer.optional(placement)
        if placement != nil { writer.double(outside) }
        filter.write(to: &writer)
    }
}

/// id, v number of marks (at least 1), bool whether digests follow; of all marks u8 (bit 0 erases, bit 1 begins a
/// run), then v of each: left edge, then of each: top edge, width minus 1, height minus 1; then the digests, and u16 of
/// each run.
extension MarkBlockIndex: WireValue {
    private static let erases: UInt8 = 1
    private static let beginsRun: UInt8 = 2
    private static let edges = 0...Int(Int32.max)

    package init(from reader: inout InkProtocol.ByteReader) throws(ProtocolError) {
        let id = try BlockID(from: &reader)
        let start = reader.offset
        let count = try reader.count("marks of a block", elementBytes: 5)
        guard count > 0 else {
            throw .badValue(what: "marks of a block", offset: start, found: "0", expected: "at least 1")
        }
        let hasDigests = try reader.bool("has digests")
        let heads = try reader.bytes(count, "strokes")
        for (index, head) in heads.enumerated() {
            // The first stroke begins a run.
            let possible = !hasDigests ? 0...1 : index == 0 ? 2...3 : 0...3
            guard possible.contains(Int(head)) else {
                throw .badValue(what: "stroke", offset: start, found: "\(head)", expected: "\(possible)")
            }
        }
        func column(_ what: String) throws(ProtocolError) -> [Int32] {
            var values: [Int32] = []
            values.reserveCapacity(count)
            for _ in 0..<count { values.append(Int32(try reader.integer(what, in: Self.edges))) }
            return values
        }
        let (left, top) = (try column("left edge"), try column("top edge"))
        let (width, height) = (try column("width"), try column("height"))
        var extents: [MarkExtent] = []
        extents.reserveCapacity(count)
        for index in 0..<count {
            let (maxX, maxY) = (Int(left[index]) + Int(width[index]) + 1, Int(top[index]) + Int(height[index]) + 1)
            guard max(maxX, maxY) <= Self.edges.upperBound else {
                throw .overLimit(
                    what: "stroke's edge", found: UInt64(max(maxX, maxY)), limit: UInt64(Self.edges.upperBound))
            }
            extents.append(
                MarkExtent(
                    minX: left[index], minY: top[index], maxX: Int32(maxX), maxY: Int32(maxY),
                    isPaint: heads[index] & Self.erases == 0))
        }
        self.init(id: id, extents: extents)
        guard hasDigests else { return }
        var digests: [BlockID] = []
        digests.reserveCapacity(count)
        for _ in 0..<count { digests.append(try BlockID(from: &reader)) }
        var numbers: [Int32] = []
        numbers.reserveCapacity(count)
        var run: Int32 = -1
        for head in heads {
            if head & Self.beginsRun != 0 { run += 1 }
            numbers.append(run)
        }
        var roundings: [UInt16] = []
        for _ in 0...run { roundings.append(try reader.uint16("rounding")) }
        decisive = DecisiveMarks(digests: digests, runs: StrokeRuns(numbers: numbers, roundings: roundings))
    }

    package func write(to writer: inout ByteWriter) {
        id.write(to: &writer)
        writer.integer(extents.count)
        writer.bool(decisive != nil)
        var lastRun: Int32?
        for (index, extent) in extents.enumerated() {
            let run = decisive?.runs.numbers[index]
            writer.uint8((extent.isPaint ? 0 : Self.erases) | (run == lastRun ? 0 : Self.beginsRun))
            lastRun = run
        }
        for extent in extents { writer.integer(Int(extent.minX)) }
        for extent in extents { writer.integer(Int(extent.minY)) }
        for extent in extents { writer.integer(Int(extent.maxX) - Int(extent.minX) - 1) }
        for extent in extents { writer.integer(Int(extent.maxY) - Int(extent.minY) - 1) }
        guard let decisive else { return }
        for digest in decisive.digests { digest.write(to: &writer) }
        for rounding in decisive.runs.roundings { writer.uint16(rounding) }
    }
}

extension MarkExtent {
    fileprivate init(minX: Int32, minY: Int32, maxX: Int32, maxY: Int32, isPaint: Bool) {
        (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
        self.isPaint = isPaint
    }
}

/// id of what is drawn, id[] of its marks, v bytes, v nanoseconds.
extension DrawingDraft: WireValue {
    /// Far more than any task may need.
    private static let costMax = 1 << 50

    package init(from reader: inout InkProtocol.ByteReader) throws(ProtocolError) {
        picture = try BlockID(from: &reader)
        marks = try reader.array("blocks of marks", elementBytes: 32)
        let bytes = try reader.integer("bytes", in: 0...Self.costMax)
        let nanoseconds = try reader.integer("nanoseconds", in: 0...Self.costMax)
        cost = TaskCost(bytes: bytes, nanoseconds: UInt64(nanoseconds))
    }

    package func write(to writer: inout ByteWriter) {
        picture.write(to: &writer)
        writer.array(marks)
        writer.integer(min(cost.bytes, Self.costMax))
        writer.varint(min(cost.nanoseconds, UInt64(Self.costMax)))
    }
}

/// Source, canvas, size output, frame?, colour background, f64 x and y of the patterns' origin, image? base image, elements, u8
/// format, costs, uses.
extension DraftPicture: WireValue {
    /// The minimum size of a picture in bytes.
    static let leastBytes = 28 + RowCosts.leastBytes

    package init(from reader: inout InkProtocol.ByteReader) throws(ProtocolError) {
        source = try PictureSource(from: &reader)
        let canvas = try CanvasSize(from: &reader)
        let output = try PixelSize(from: &reader)
        let frame = try reader.frame(of: output)
        let background = try RGBA8(from: &reader)
        let origin = try Point(from: &reader)
        scene = Scene(canvas: canvas, output: output, background: background, patternOrigin: origin)
        scene.frame = frame
        scene.baseImage = try reader.optional("has base image")
        scene.layers = try reader.layers()
        format = try reader.enumeration("picture's format")
        costs = try RowCosts(from: &reader, output: scene.picture)
        let count = try reader.count("files of a picture", elementBytes: 4, limit: PictureSet.countMax)
        for _ in 0..<count {
            let encoding = try PictureEncoding(from: &reader)
            let file = try reader.integer("file", in: 0...(PictureSet.countMax - 1))
            let number = try reader.integer("picture of a file", in: 0...Int(Int32.max))
            uses.append((encoding, file, number, try reader.optional("has drawing")))
        }
    }

    package func write(to writer: inout ByteWriter) {
        source.write(to: &writer)
        scene.canvas.write(to: &writer)
        scene.output.write(to: &writer)
        writer.optional(scene.frame)
        scene.background.write(to: &writer)
        scene.patternOrigin.write(to: &writer)
        writer.optional(scene.baseImage)
        writer.layers(scene.layers)
        writer.uint8(format.rawValue)
        costs.write(to: &writer)
        writer.integer(uses.count)
        for use in uses {
            use.encoding.write(to: &writer)
            writer.integer(use.file)
            writer.integer(use.picture)
            writer.optional(use.drawing)
        }
    }
}

/// The task that decodes it, v bytes of its file as it is held, size.
extension ImageRequest {
    /// The minimum size of a request in bytes.
    static let leastBytes = 40

    /// - Parameter limits: those that the task has to have.
    init(from reader: inout InkProtocol.ByteReader, limits: Limits) throws(ProtocolError) {
        let start = reader.offset
        let task = try DecodeTask(from: &reader)
        file = task.image
        fileBytes = try reader.integer("bytes of an image's file", in: 1...ProtocolLimits.blockFrameBytes)
        use = task.use
        size = try PixelSize(from: &reader)
        place = task.place
        (convertsProfiles, raster, scalings) = (task.convertsProfiles, task.raster, task.scalings)
        guard self.task(limits) == task else {
            throw .badValue(what: "image", offset: start, found: "limits of its own", expected: "those of the project")
        }
    }

    func write(to writer: inout ByteWriter, limits: Limits) {
        task(limits).write(to: &writer)
        writer.integer(fileBytes)
        size.write(to: &writer)
    }
}
