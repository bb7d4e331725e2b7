public import InkCodecs
public import InkEngine

/// A task for a worker. The same task gives the same result on any worker.
public enum WorkerTask: Hashable, Sendable {
    /// Image file to chunks of rows.
    case decode(DecodeTask)
    /// A tile to a band or to pixels.
    case render(TileTask)
    /// Joins tiles side by side into a band.
    case encode(EncodeTask)
    /// Encodes a file of the whole picture from its tiles.
    case finish(FinishTask)
    /// Writes a file of lines and areas.
    case draw(DrawTask)
    case read(ReadTask)
    /// Makes all of a picture.
    case whole(WholeTask)
}

extension WorkerTask {
    /// The blocks that the task needs, each once, in the order in which the task refers to them.
    public var blocks: [BlockID] {
        var seen: Set<BlockID> = []
        var ids: [BlockID] = []
        func add(_ id: BlockID) {
            if seen.insert(id).inserted { ids.append(id) }
        }
        func add(_ slice: ImageSlice?) {
            for case .samples(let id) in slice?.chunks ?? [] { add(id) }
        }
        switch self {
        case .decode(let task): add(task.image)
        case .render(let task):
            add(task.baseImage)
            for element in task.layers {
                element.forEach { layer in
                    add(layer.mask)
                    add(layer.content)
                    for selection in layer.marks { add(selection.block) }
                }
            }
        case .encode(let task):
            for piece in task.pieces { add(piece.block) }
        case .finish(let task): for piece in task.rows.joined() { add(piece.block) }
        case .read(let task): for id in task.blocks { add(id) }
        case .whole(let task): for id in task.read.blocks { add(id) }
        case .draw(let task):
            add(task.picture)
            for id in task.marks { add(id) }
            for image in task.images { for piece in image.rows.joined() { add(piece.block) } }
        }
        return ids
    }

    /// The task as bytes. Equal tasks give equal bytes.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .decode(let task):
            writer.uint8(1)
            task.write(to: &writer)
        case .render(let task):
            writer.uint8(2)
            task.write(to: &writer)
        case .encode(let task):
            writer.uint8(3)
            task.write(to: &writer)
        case .finish(let task):
            writer.uint8(4)
            task.write(to: &writer)
        case .draw(let task):
            writer.uint8(5)
            task.write(to: &writer)
        case .read(let task):
            writer.uint8(6)
            task.write(to: &writer)
        case .whole(let task):
            writer.uint8(7)
            task.write(to: &writer)
        }
        return writer.bytes
    }

    /// Decodes a task that occupies all of `bytes`.
    ///
    /// - Throws: the errors of `ByteReader`, `trailingBytes`.
    public init(decoding bytes: [UInt8]) throws(ProtocolError) {
        var reader = ByteReader(bytes)
        let kind = try reader.uint8("task kind")
        switch kind {
        case 1: self = .decode(try DecodeTask(from: &reader))
        case 2: self = .render(try TileTask(from: &reader))
        case 3: self = .encode(try EncodeTask(from: &reader))
        case 4: self = .finish(try FinishTask(from: &reader))
        case 5: self = .draw(try DrawTask(from: &reader))
        case 6: self = .read(try ReadTask(from: &reader))
        case 7: self = .whole(try WholeTask(from: &reader))
        default: throw .badValue(what: "task kind", offset: 0, found: "\(kind)", expected: "1 to 7")
        }
        try reader.finish("task")
    }
}

/// An image file to decode.
public struct DecodeTask: Hashable, Sendable {
    /// The block that holds the file's bytes.
    public var image: BlockID
    public var use: ImageUse
    /// Whether an embedded colour profile counts.
    public var convertsProfiles: Bool
    /// The pixels that a vector image is drawn in; nil for its own size, and for other images.
    public var raster: VectorRaster?
    /// How the image is scaled, once for each image that the task gives; empty: it gives the samples.
    public var scalings: [ImageScaling]
    /// The place of the image, for messages.
    public var place: Place
    /// Maximum pixels of the image.
    public var imagePixels: Int
    /// Maximum pixels of an image that has to be held whole though its format can stream.
    public var interlacedImagePixels: Int
    /// Maximum pixels of an image of a format that cannot stream.
    public var heldImagePixels: Int

    public init(
        image: BlockID, use: ImageUse, convertsProfiles: Bool = false, raster: VectorRaster? = nil,
        scalings: [ImageScaling] = [], place: Place, limits: Limits
    ) {
        self.image = image
        self.use = use
        self.convertsProfiles = convertsProfiles
        self.raster = raster
        self.scalings = scalings
        self.place = place
        self.imagePixels = limits.imagePixels
        self.interlacedImagePixels = limits.interlacedImagePixels
        self.heldImagePixels = limits.heldImagePixels
    }

    /// The default limits, replaced by those of the task.
    public var limits: Limits {
        var limits = Limits()
        limits.imagePixels = imagePixels
        limits.interlacedImagePixels = interlacedImagePixels
        limits.heldImagePixels = heldImagePixels
        return limits
    }
}

extension DecodeTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let image = try BlockID(from: &reader)
        let use: ImageUse = try reader.enumeration("use")
        let convertsProfiles = try reader.bool("profiles")
        let place = try Place(from: &reader)
        var limits = Limits()
        limits.imagePixels = try reader.integer("image pixels", in: 0...Int.max)
        limits.interlacedImagePixels = try reader.integer("interlaced image pixels", in: 0...Int.max)
        limits.heldImagePixels = try reader.integer("held image pixels", in: 0...Int.max)
        self.init(
            image: image, use: use, convertsProfiles: convertsProfiles, raster: try reader.optional("has raster"),
            scalings: try reader.array("scalings", elementBytes: ImageScaling.leastBytes), place: place, limits: limits)
    }

    package func write(to writer: inout ByteWriter) {
        image.write(to: &writer)
        writer.uint8(use.rawValue)
        writer.bool(convertsProfiles)
        place.write(to: &writer)
        writer.integer(imagePixels)
        writer.integer(interlacedImagePixels)
        writer.integer(heldImagePixels)
        writer.optional(raster)
        writer.array(scalings)
    }
}

extension ImageScaling: WireValue {
    static let leastBytes = 19

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let canvas = try CanvasSize(from: &reader)
        let output = try PixelSize(from: &reader)
        let placement: Placement? = try reader.optional("has placement")
        self.init(placement: placement, canvas: canvas, output: output)
    }

    package func write(to writer: inout ByteWriter) {
        canvas.write(to: &writer)
        output.write(to: &writer)
        writer.optional(placement)
    }
}

extension VectorRaster: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let start = reader.offset
        let whole = try PixelSize(from: &reader)
        let part = try PixelRect(from: &reader)
        // In this order, nothing overflows.
        guard (1...VectorRaster.edgePixelsMax).contains(whole.width),
            (1...VectorRaster.edgePixelsMax).contains(whole.height), (0..<whole.width).contains(part.x),
            (0..<whole.height).contains(part.y), (1...(whole.width - part.x)).contains(part.width),
            (1...(whole.height - part.y)).contains(part.height)
        else {
            throw .badValue(
                what: "raster", offset: start, found: "\(part) of \(whole)",
                expected: "a part of at most \(VectorRaster.edgePixelsMax) pixels a side")
        }
        self.init(whole: whole, part: part)
    }

    package func write(to writer: inout ByteWriter) {
        whole.write(to: &writer)
        part.write(to: &writer)
    }
}

/// A band to make from finished tiles.
public struct EncodeTask: Hashable, Sendable {
    /// The part of the picture that the band covers, in output pixels: x is 0, the width is the picture's.
    public var rect: PixelRect
    public var format: PixelFormat
    public var encoding: PieceEncoding
    /// From left to right; together they cover `rect` without gap or overlap.
    public var pieces: [BandTile]

    public init(rect: PixelRect, format: PixelFormat, encoding: PieceEncoding, pieces: [BandTile]) {
        self.rect = rect
        self.format = format
        self.encoding = encoding
        self.pieces = pieces
    }
}

/// One tile of a band.
public struct BandTile: Hashable, Sendable {
    /// In output pixels; as high as the band.
    public var rect: PixelRect
    /// The rect's samples in the band's format, row-major without padding.
    public var block: BlockID

    public init(rect: PixelRect, block: BlockID) {
        self.rect = rect
        self.block = block
    }
}

extension BandTile: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        rect = try PixelRect(from: &reader)
        block = try BlockID(from: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        rect.write(to: &writer)
        block.write(to: &writer)
    }
}

/// A file, or the last piece of one, to make from all tiles of a picture.
public struct FinishTask: Hashable, Sendable {
    /// The size of the picture, in output pixels.
    public var size: PixelSize
    /// The format of the tiles' samples.
    public var format: PixelFormat
    public var encoding: PictureEncoding
    /// How often the tiles' samples have been halved.
    public var halvings: Int
    /// Rows of tiles from the top; the tiles of a row from left to right. Together they cover the halved picture without
    /// gap or overlap.
    public var rows: [[BandTile]]

    public init(
        size: PixelSize, format: PixelFormat, encoding: PictureEncoding, halvings: Int = 0, rows: [[BandTile]]
    ) {
        self.size = size
        self.format = format
        self.encoding = encoding
        self.halvings = halvings
        self.rows = rows
    }
}

extension FinishTask: WireValue {
    static let leastBytes = 52

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let size = try PixelSize(from: &reader)
        let format: PixelFormat = try reader.enumeration("output format")
        let encoding = try PictureEncoding(from: &reader)
        let halvings = try reader.integer("halvings", in: 0...TileDelivery.halvingsMax)
        let halved = size.halved(halvings)
        let start = reader.offset
        let tiles: [BandTile] = try reader.array("pieces", elementBytes: 36)
        var rows: [[BandTile]] = []
        var y = 0
        var rest = tiles[...]
        while let first = rest.first {
            let row = Array(rest.prefix { $0.rect.y == first.rect.y })
            try row.check(
                covers: PixelRect(x: 0, y: y, width: halved.width, height: first.rect.height), offset: start)
            rows.append(row)
            rest = rest.dropFirst(row.count)
            y += first.rect.height
        }
        guard y == halved.height else {
            throw .badValue(what: "pieces' height", offset: start, found: "\(y)", expected: "\(halved.height)")
        }
        self.init(size: size, format: format, encoding: encoding, halvings: halvings, rows: rows)
    }

    package func write(to writer: inout ByteWriter) {
        size.write(to: &writer)
        writer.uint8(format.rawValue)
        encoding.write(to: &writer)
        writer.integer(halvings)
        writer.array(rows.flatMap { $0 })
    }
}

extension [BandTile] {
    /// - Throws: `badValue` unless the tiles lie side by side and cover `rect`.
    fileprivate func check(covers rect: PixelRect, offset: Int) throws(ProtocolError) {
        var x = rect.x
        for piece in self {
            guard piece.rect.x == x, piece.rect.y == rect.y, piece.rect.height == rect.height else {
                throw .badValue(
                    what: "piece", offset: offset, found: "\(piece.rect)",
                    expected: "\(rect.height) rows at \(x), \(rect.y)")
            }
            guard piece.rect.area <= ProtocolLimits.blockContentBytes else {
                throw .badValue(
                    what: "piece", offset: offset, found: "\(piece.rect)", expected: "what a block holds of pixels")
            }
            x += piece.rect.width
        }
        guard rect.x == 0, x == rect.width else {
            throw .badValue(
                what: "pieces' width", offset: offset, found: "\(x)", expected: "\(rect.width) from column 0")
        }
    }
}

extension EncodeTask: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let rect = try PixelRect(from: &reader)
        let format: PixelFormat = try reader.enumeration("output format")
        let encoding = try PieceEncoding(from: &reader)
        let start = reader.offset
        let pieces: [BandTile] = try reader.array("pieces", elementBytes: 36)
        try pieces.check(covers: rect, offset: start)
        self.init(rect: rect, format: format, encoding: encoding, pieces: pieces)
    }

    package func write(to writer: inout ByteWriter) {
        rect.write(to: &writer)
        writer.uint8(format.rawValue)
        encoding.write(to: &writer)
        writer.array(pieces)
    }
}
