import InkCodecs
import InkEngine
import InkPlanning

/// What a picture's tiles and files are estimated to cost, nanoseconds of one thread.
struct PictureWork: Hashable, Sendable {
    /// The estimated cost of a row of tiles.
    struct Row: Hashable, Sendable {
        var strokes = 0.0
        var composite = 0.0
        var encode = 0.0
    }

    /// Encoding a file from the whole picture.
    struct Whole: Hashable, Sendable {
        var kind: WorkKind
        var nanoseconds: Double
    }

    /// Encoding a file of limited size, again and again.
    struct Trials: Hashable, Sendable {
        var kind: WorkKind
        /// What each task takes.
        var nanoseconds: Double
        /// In each trial.
        var tasks: Int

        /// What as many trials as there usually are take.
        var total: Double { nanoseconds * Double(tasks * QualitySearch.usualCount) }
    }

    var rows: [Row]
    var columns = 1
    /// Whether a tile is encoded with its task; else rows are encoded in tasks of their own.
    var encodesTiles = true
    var encoding = WorkKind.encode(.png, .balanced)
    var wholes: [Whole] = []
    var trials: Trials?
    /// Bringing the file to the disk.
    var finish = 0.0
    /// What the scheduler takes a tile and a whole file for, when jobs take turns.
    var tileTurn = 0.0
    var wholeTurn = 0.0

    /// Nanoseconds of each tile beside what its pixels and strokes take.
    private static let perTile = 50_000.0
    /// Nanoseconds of a pixel's encoding, and of its way to the disk.
    private static let encodedPixel = 8.0
    private static let wholePixel = 30.0
    private static let wholeTurnPixel = 800.0
    private static let finishedPixel = 0.5
    private static let finishedFile = 4_000_000.0

    init(rows: [Row]) { self.rows = rows }

    /// - Parameters:
    ///   - rows: the picture's rows of each row of tiles.
    ///   - width: of what is rendered, pixels.
    ///   - drawings: of the members that are drawn.
    ///   - isDrawn: whether it is an image in a file of lines, which is encoded with that.
    init(
        _ costs: RowCosts, rows: [Range<Int>], columns: Int, width: Int, _ size: PixelSize, _ files: PictureSet,
        _ drawings: [DrawingDraft?], isDrawn: Bool
    ) {
        let (strokes, composite) = (costs.strokesPerRow, costs.compositePerRow)
        let streamed = files.streamed.reduce(0) { $0 + WorkKind($1.encoding, isWhole: false).usualRatio }
        let encode = files.streamed.isEmpty || isDrawn ? 0 : Self.encodedPixel * streamed
        let first = files.streamed.first.map { WorkKind($0.encoding, isWhole: false) }
        self.columns = columns
        if let first { encoding = first }
        encodesTiles = columns == 1 && first != nil
        let scale = encode / max(1e-9, encoding.usualRatio)
        self.rows = rows.map { rows in
            Row(
                strokes: strokes[rows].reduce(Self.perTile * Double(columns), +),
                composite: composite * Double(rows.count),
                encode: scale * Double(rows.count) * Double(width))
        }
        let pixels = Double(size.area)
        wholes = files.wholes.map { index in
            let member = files.members[index]
            let halvings = member.halvings(of: size) ?? 0
            return Whole(
                kind: WorkKind(member.encoding, isWhole: true),
                nanoseconds: drawings[index].map { Double($0.cost.nanoseconds) }
                    ?? Self.wholePixel * pixels / Double(1 << (2 * min(halvings, 20))))
        }
        trials = files.bounded.map { member in
            let tasks = member.isWhole ? 1 : rows.count
            let kind = WorkKind(member.encoding, isWhole: member.isWhole)
            let pixel = member.isWhole ? Self.wholePixel : Self.encodedPixel
            return Trials(kind: kind, nanoseconds: pixel * pixels / Double(max(1, tasks)), tasks: tasks)
        }
        if let trials { encoding = trials.kind }
        tileTurn = costs.perRow.reduce(0, +) / Double(max(1, rows.count * columns))
        wholeTurn = Self.wholeTurnPixel * pixels
        finish = Self.finishedFile + Self.finishedPixel * pixels * Double(files.members.count)
    }
}

extension PictureWork {
    /// That of several pictures, one after the other: at least one.
    init(_ pictures: [PictureWork]) {
        self = pictures[0]
        for other in pictures.dropFirst() {
            rows += other.rows
            finish += other.finish
        }
        let turns = pictures.reduce(0) { $0 + $1.tileTurn * Double($1.rows.count) }
        tileTurn = turns / Double(max(1, rows.count))
    }
}

extension WorkKind {
    init(_ encoding: PictureEncoding, isWhole: Bool) {
        self = isWhole ? .whole(encoding.format, encoding.effort) : .encode(encoding.format, encoding.effort)
    }
}

extension PicturePlan {
    /// That of its tiles.
    var work: PictureWork {
        PictureWork(
            pictures.map { picture in
                PictureWork(
                    picture.costs, rows: (0..<picture.rowCount).map(picture.pixelRows(ofRow:)),
                    columns: picture.grid.columns, width: picture.rect.width, picture.scene.picture, picture.set,
                    picture.drawings, isDrawn: picture.source.isDrawn)
            })
    }
}

extension PictureDraft {
    /// As if each picture were one tile; nil if its format is unknown.
    var work: PictureWork? {
        var works: [PictureWork] = []
        for picture in pictures {
            // A format of another version has no known cost.
            guard let set = try? PictureSet(picture.uses.map(\.encoding), pixels: picture.format) else { return nil }
            let size = picture.scene.picture
            works.append(
                PictureWork(
                    picture.costs, rows: picture.isRendered ? [0..<size.height] : [], columns: 1, width: size.width,
                    size, set, picture.uses.map(\.drawing), isDrawn: picture.source.isDrawn))
        }
        return PictureWork(works)
    }
}

extension RoughSize {
    /// nil where nothing is known of the job.
    init?(_ job: ExportJob) {
        switch job.source {
        case .ready(let project, let order):
            let kind = WorkKind.unread(order.options.encoding.format, order.options.encoding.effort)
            let strokes = project.layers.flattened().reduce(0) { $0 + $1.layer.strokes.count }
            let pixels = Double(order.output.area)
            self.init(
                kind: kind, work: Self.pixel * pixels + Self.stroke * Double(strokes),
                prepare: Self.prepared + Self.preparedStroke * Double(strokes), pixels: pixels)
        case .document:
            guard let bytes = job.byteCount, let pixels = job.pixelCount else { return nil }
            self.init(
                kind: .unread(job.encoding.format, job.encoding.effort), bytes: Double(bytes), pixels: pixels)
        }
    }

    /// That of a document of so many bytes.
    init(kind: WorkKind, bytes: Double, pixels: Double) {
        self.init(
            kind: kind, work: Self.pixel * pixels + Self.byte * bytes, prepare: Self.prepare(ofBytes: bytes),
            pixels: pixels)
    }

    /// Nanoseconds of all of it, before anything has been measured.
    var usual: Double { min(work * kind.usualRatio + prepare, 1e15) }

    /// Nanoseconds of reading and cutting a document.
    static func prepare(ofBytes count: Double) -> Double { prepared + preparedByte * count }

    /// Nanoseconds.
    private static let pixel = 80.0
    private static let stroke = 100_000.0
    private static let byte = 300.0
    private static let prepared = 3_000_000.0
    private static let preparedStroke = 20_000.0
    private static let preparedByte = 30.0
}
