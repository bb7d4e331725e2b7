package import InkEngine

extension PixelSize: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let width = try reader.integer("width", in: 1...ProtocolLimits.edgePixels)
        let height = try reader.integer("height", in: 1...ProtocolLimits.edgePixels)
        self.init(width: width, height: height)
    }

    package func write(to writer: inout ByteWriter) {
        writer.integer(width)
        writer.integer(height)
    }
}

extension Point: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        let x = try reader.double("x", in: finite)
        self.init(x: x, y: try reader.double("y", in: finite))
    }

    package func write(to writer: inout ByteWriter) {
        writer.double(x)
        writer.double(y)
    }
}

extension CanvasSize: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let lengths = Double.leastNormalMagnitude...ProtocolLimits.coordinate
        let width = try reader.double("canvas width", in: lengths)
        self.init(width: width, height: try reader.double("canvas height", in: lengths))
    }

    package func write(to writer: inout ByteWriter) {
        writer.double(width)
        writer.double(height)
    }
}

/// Not empty, and its edges do not overflow.
extension PixelRect: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let x = try reader.integer("x", in: 0...ProtocolLimits.edgePixels)
        let y = try reader.integer("y", in: 0...ProtocolLimits.edgePixels)
        let size = try PixelSize(from: &reader)
        self.init(x: x, y: y, width: size.width, height: size.height)
    }

    package func write(to writer: inout ByteWriter) {
        writer.integer(x)
        writer.integer(y)
        size.write(to: &writer)
    }
}

extension PixelRect {
    /// Whether the rectangle lies within a picture of that size.
    func lies(in size: PixelSize) -> Bool {
        x >= 0 && y >= 0 && width <= size.width - x && height <= size.height - y
    }
}

extension RGBA8: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let red = try reader.uint8("red")
        let green = try reader.uint8("green")
        let blue = try reader.uint8("blue")
        let alpha = try reader.uint8("alpha")
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    package func write(to writer: inout ByteWriter) {
        writer.uint8(red)
        writer.uint8(green)
        writer.uint8(blue)
        writer.uint8(alpha)
    }
}

extension BlockID: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init(digest: try reader.bytes(32, "block id"))
    }

    package func write(to writer: inout ByteWriter) { writer.raw(digest) }
}

extension Place: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let file = try reader.text("file", limit: ProtocolLimits.textBytes)
        let hasPath = try reader.bool("has path")
        self.init(file: file, path: hasPath ? try reader.text("path", limit: ProtocolLimits.textBytes) : nil)
    }

    package func write(to writer: inout ByteWriter) {
        writer.text(file, limit: ProtocolLimits.textBytes)
        writer.bool(path != nil)
        if let path { writer.text(path, limit: ProtocolLimits.textBytes) }
    }
}

extension EngineError: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        func text(_ what: String) throws(ProtocolError) -> String {
            try reader.text(what, limit: ProtocolLimits.textBytes)
        }
        let kind = try reader.uint8("kind of error")
        switch kind {
        case 0: self = .badInput(try Place(from: &reader), reason: try text("reason"))
        case 1:
            self = .overLimit(
                try Place(from: &reader), what: try text("what"), found: try text("found"), limit: try text("limit"))
        case 2: self = .unavailable(try Place(from: &reader), reason: try text("reason"))
        case 3:
            self = .io(
                path: try text("path"), operation: try text("operation"),
                errno: Int32(truncatingIfNeeded: try reader.integer("error number", in: 0...Int(Int32.max))))
        case 4: self = .cancelled
        case 5: self = .internalError(try text("message"))
        default:
            throw .badValue(what: "kind of error", offset: reader.offset - 1, found: "\(kind)", expected: "0 to 5")
        }
    }

    package func write(to writer: inout ByteWriter) {
        func text(_ text: String) { writer.text(text, limit: ProtocolLimits.textBytes) }
        switch self {
        case .badInput(let place, let reason):
            writer.uint8(0)
            place.write(to: &writer)
            text(reason)
        case .overLimit(let place, let what, let found, let limit):
            writer.uint8(1)
            place.write(to: &writer)
            for part in [what, found, limit] { text(part) }
        case .unavailable(let place, let reason):
            writer.uint8(2)
            place.write(to: &writer)
            text(reason)
        case .io(let path, let operation, let errno):
            writer.uint8(3)
            text(path)
            text(operation)
            writer.integer(Int(max(0, errno)))
        case .cancelled: writer.uint8(4)
        case .internalError(let message):
            writer.uint8(5)
            text(message)
        }
    }
}

extension Limits: WireValue {
    /// All that can be configured, in the order of the fields.
    private static let integers: [any WritableKeyPath<Limits, Int> & Sendable] = [
        \.edgePixels, \.outputPixels, \.imagePixels, \.interlacedImagePixels, \.heldImagePixels, \.svgBytes,
        \.fileBytes, \.jsonDepth, \.jsonValues, \.archiveEntries, \.archiveRatio, \.layers, \.strokes,
        \.pointsPerStroke, \.points, \.stamps, \.shapes, \.symbols, \.pathSegments, \.segments,
        \.packBytes, \.packItems, \.packPictures, \.recipeBytes, \.recipeFiles,
    ]

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self.init()
        for path in Self.integers { self[keyPath: path] = try reader.integer("limit", in: 0...Int.max) }
        coordinate = try reader.double("limit of coordinates", in: 0...Double.greatestFiniteMagnitude)
    }

    package func write(to writer: inout ByteWriter) {
        for path in Self.integers { writer.integer(max(0, self[keyPath: path])) }
        writer.double(coordinate)
    }
}

extension ChunkPixels: WireValue where Samples == BlockID {
    /// The minimum size of a chunk in bytes.
    static let leastBytes = 5

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        if try reader.bool("chunk kind") {
            self = .samples(try BlockID(from: &reader))
        } else {
            self = .constant(try reader.uint32("constant"))
        }
    }

    package func write(to writer: inout ByteWriter) {
        switch self {
        case .constant(let value):
            writer.bool(false)
            writer.uint32(value)
        case .samples(let id):
            writer.bool(true)
            id.write(to: &writer)
        }
    }
}

/// 8 each x, y, width, height, rotation.
extension Placement: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let places = -ProtocolLimits.coordinate...ProtocolLimits.coordinate
        let lengths = Double.leastNormalMagnitude...ProtocolLimits.coordinate
        let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        self.init(
            x: try reader.double("x", in: places), y: try reader.double("y", in: places),
            width: try reader.double("width", in: lengths), height: try reader.double("height", in: lengths),
            rotation: try reader.double("rotation", in: finite))
    }

    package func write(to writer: inout ByteWriter) {
        for value in [x, y, width, height, rotation] { writer.double(value) }
    }
}

extension ContentFilter: WireValue {
    /// The numbers of filters on the wire: never reused, never renumbered.
    static let wireOrder: [ContentFilter] = [.lanczos, .nearest]

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        self = try reader.entry("filter", of: Self.wireOrder)
    }

    package func write(to writer: inout ByteWriter) { writer.entry(self, of: Self.wireOrder) }
}

extension ImageSlice: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let size = try PixelSize(from: &reader)
        let format: SampleFormat = try reader.enumeration("sample format")
        let placement: Placement? = try reader.optional("has placement")
        let outside = placement == nil ? 0 : try reader.double("outside", in: 0...1)
        let part = placement != nil && format.isScaled ? try PixelRect(from: &reader) : nil
        let start = reader.offset
        let filter = try ContentFilter(from: &reader)
        guard filter == .lanczos || !format.isScaled else {
            throw .badValue(what: "filter", offset: start, found: "\(filter)", expected: "none of a scaled image")
        }
        let chunksInImage = ImageSlice.chunkCount(imageHeight: size.height)
        let first = try reader.integer("first chunk", in: 0...(chunksInImage - 1))
        let chunks: [RowChunk] = try reader.array(
            "chunks", elementBytes: RowChunk.leastBytes, limit: chunksInImage - first)
        self.init(
            size: size, format: format, firstChunk: first, chunks: chunks, placement: placement, outside: outside,
            part: part, filter: filter)
    }

    package func write(to writer: inout ByteWriter) {
        size.write(to: &writer)
        writer.uint8(format.rawValue)
        writer.optional(placement)
        if placement != nil {
            writer.double(outside)
            // A scaled image always has a part.
            if format.isScaled { part?.write(to: &writer) }
        }
        filter.write(to: &writer)
        writer.integer(firstChunk)
        writer.array(chunks)
    }

    /// Number of chunks of an image of that height (above 0).
    static func chunkCount(imageHeight: Int) -> Int {
        (imageHeight - 1) / rowsPerChunk + 1
    }
}
