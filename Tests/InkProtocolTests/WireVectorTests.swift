import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import Testing

/// The examples of docs/protocol.md: what the document says in hex is what the program sends and understands.
@Suite("Test vectors of docs/protocol.md")
struct WireVectorTests {
    private static let block = BlockID(digest: (0..<32).map { UInt8($0) })

    static let fromWorker: [String: WorkerMessage] = [
        "hello": .hello(
            Hello(rendererVersion: "r1", workerName: "w", threads: 2, taskCredits: 4, byteCredits: 268_435_456)),
        "worker heartbeat": .heartbeat,
        "blockRequest": .blockRequest([BlockRange(id: block), BlockRange(id: block, offset: 4_190_208)]),
        "resultPart": .resultPart(ResultPart(task: TaskID(7), attempt: 1, sequence: 0, bytes: [1, 2, 3])),
        "taskDone": .taskDone(
            TaskDone(
                task: TaskID(7), attempt: 1, partCount: 1, resultBytes: 3,
                phases: PhaseTimes(decode: 1, raster: 2, composite: 3, encode: 4))),
        "taskFailed": .taskFailed(
            TaskFailed(
                task: TaskID(7), attempt: 1, kind: .badInput,
                place: Place(file: "a.ink", path: "layers[0].maskImage"), text: "not a PNG")),
        "goodbye": .goodbye(.left),
        "worker acknowledge": .acknowledge(300_000),
        "underWay": .underWay([
            TaskAttempt(task: TaskID(7), attempt: 1), TaskAttempt(task: TaskID(8), attempt: 2),
        ]),
    ]

    static let fromBroker: [String: BrokerMessage] = [
        "welcome": .welcome(Welcome(heartbeatMilliseconds: 1000, livenessMilliseconds: 3000)),
        "refuse": .refuse(reason: "old"),
        "task": .task(
            TaskAssignment(
                task: TaskID(7), attempt: 1, deadlineMilliseconds: 1000, resultLimitBytes: 65_600,
                payload: .inline(
                    WorkerTask.render(
                        TileTask(
                            canvas: CanvasSize(PixelSize(width: 300, height: 200)),
                            output: PixelSize(width: 600, height: 400),
                            rect: PixelRect(x: 0, y: 64, width: 600, height: 64), background: .white, baseImage: nil,
                            layers: [
                                TileLayer(
                                    opacity: 0.5, blendMode: .multiply,
                                    mask: ImageSlice(
                                        size: PixelSize(width: 300, height: 200), format: .mask8, firstChunk: 0,
                                        chunks: [.constant(255), .samples(block)]),
                                    content: nil, strokes: [StrokeSelection(block: block, indices: [0, 1, 9])])
                            ],
                            pixelFormat: .rgb,
                            delivery: .band(PieceEncoding(PictureEncoding(effort: .fast), isLast: false)))
                    ).encoded()))),
        "task as a block": .task(
            TaskAssignment(
                task: TaskID(8), attempt: 2, deadlineMilliseconds: 1000, resultLimitBytes: 65_600,
                payload: .block(block))),
        "blockPart": .blockPart(BlockPart(id: block, offset: 0, totalBytes: 3, bytes: [1, 2, 3])),
        "blockMissing": .blockMissing(block),
        "cancel": .cancel(TaskID(7)),
        "broker heartbeat": .heartbeat,
        "drain": .drain,
        "unknownWorker": .unknownWorker,
        "broker acknowledge": .acknowledge(300_000),
    ]

    /// A group that passes through with a mask, in it a fill and a layer that is clipped to it; every field.
    private static var drawnPicture: DrawnPictureBlock {
        let image = EncodedImage(
            bytes: [], header: ImageHeader(size: PixelSize(width: 1, height: 1), isHeldWhole: false), place: "")
        var group = Layer(name: "g", maskImage: image, opacity: 0.5)
        var fill = Layer(name: "f")
        fill.kind = .fill(.color(RGBA8(red: 1, green: 2, blue: 3)))
        var marks = Layer(
            name: "m", contentImage: image, blendMode: .multiply, suggestedPattern: SuggestedPattern(type: .waves),
            strokes: [Stroke(brush: Brush(type: .solid), points: [StrokePoint(x: 1, y: 2)])])
        marks.isClipped = true
        group.kind = .group([fill, marks], isPassThrough: true)
        var picture = DrawnPicture(
            [group], name: "a.ink", encoding: PictureEncoding(format: .svg), canvas: CanvasSize(width: 30, height: 20),
            output: PixelSize(width: 60, height: 40), background: .white, fillsSuggested: true)
        picture.hasBaseImage = true
        picture.viewport = Viewport(center: Point(x: 5, y: 6), zoom: 2, rotation: 90, size: picture.canvas)
        picture.dotsPerInch = 300
        picture.description = PictureDescription(
            dotsPerInch: 300, text: [PictureText(.software, "ink")], digest: PictureDigest(bytes: block.digest),
            hasProfile: true)
        picture.description.exif = [1, 2]
        picture.description.xmp = [3]
        return DrawnPictureBlock(picture)
    }

    /// A project with a picture beside it and no folder of presets.
    private static var document: DocumentTask {
        DocumentTask(
            name: "a.ink", content: DocumentParts(name: "/in/a.ink", parts: [block], isNamedByOthers: false),
            companions: [
                Companion(
                    request: CompanionRequest(kind: 1, name: Array("a.png".utf8)),
                    answer: .file([block], path: "/in/a.png")),
                Companion(request: CompanionRequest(kind: 3, name: []), answer: .missing),
            ], picture: PictureSpec(size: .named("2k")), software: "ink 1", limits: Limits(), digestsStrokes: true)
    }

    /// A word of two letters of one symbol, and an arc that a gradient fills.
    private static var shapes: MarkList {
        var letter = ShapePath()
        letter.move(to: Point(x: 0, y: 0))
        letter.line(to: Point(x: 4, y: 0))
        letter.quadratic(Point(x: 4, y: 4), to: Point(x: 0, y: 4))
        letter.close()
        var arc = ShapePath()
        arc.move(to: Point(x: 1, y: 0))
        arc.arc(
            center: Point(x: 0, y: 0), u: Point(x: 1, y: 0), v: Point(x: 0, y: 1), start: 0, sweep: 2,
            to: Point(x: -0.5, y: 0.75))
        let gradient = Gradient(
            kind: .radial(center: Point(x: 0, y: 0), radius: 1),
            stops: [Gradient.Stop(offset: 0, color: .white), Gradient.Stop(offset: 1, color: .black)])
        return .shapes([
            Shape(path: letter, symbol: "o", text: "oo", textOf: "1"),
            Shape(path: letter, symbol: "o", transform: AffineMap(x: 5), textOf: "1"),
            Shape(path: arc, rule: .evenodd, fill: .gradient(gradient), opacity: 0.5, mode: .erase),
        ])
    }

    static let content: [String: [UInt8]] = [
        "decode task": WorkerTask.decode(
            DecodeTask(image: block, use: .mask, place: Place(file: "a.ink"), limits: Limits())
        ).encoded(),
        "decode task with scalings": WorkerTask.decode(
            DecodeTask(
                image: block, use: .color,
                scalings: [
                    ImageScaling(
                        placement: Placement(x: 10, y: -2, width: 30, height: 20, rotation: 15),
                        canvas: CanvasSize(width: 300, height: 200), output: PixelSize(width: 600, height: 400))
                ], place: Place(file: "a.ink"), limits: Limits())
        ).encoded(),
        "encode task": WorkerTask.encode(
            EncodeTask(
                rect: PixelRect(x: 0, y: 8, width: 3, height: 2), format: .rgba,
                encoding: PieceEncoding(PictureEncoding(effort: .small), isLast: true),
                pieces: [
                    BandTile(rect: PixelRect(x: 0, y: 8, width: 1, height: 2), block: block),
                    BandTile(rect: PixelRect(x: 1, y: 8, width: 2, height: 2), block: block),
                ])
        ).encoded(),
        "finish task": WorkerTask.finish(
            FinishTask(
                size: PixelSize(width: 3, height: 2), format: .rgb,
                encoding: PictureEncoding(format: .webp, quality: 80),
                rows: [[BandTile(rect: PixelRect(x: 0, y: 0, width: 3, height: 2), block: block)]])
        ).encoded(),
        "draw task": WorkerTask.draw(
            DrawTask(
                picture: block, marks: [block],
                images: [
                    FinishTask(
                        size: PixelSize(width: 3, height: 2), format: .rgba, encoding: PictureEncoding(),
                        rows: [[BandTile(rect: PixelRect(x: 0, y: 0, width: 3, height: 2), block: block)]])
                ])
        ).encoded(),
        "drawn picture": drawnPicture.encoded(),
        "stroke block": MarkBlock(
            .strokes([
                Stroke(
                    brush: Brush(type: .dots, color: RGBA8(red: 1, green: 2, blue: 3)), mode: .erase,
                    points: [StrokePoint(x: 1, y: 2, pressure: 0.5), StrokePoint(x: 1.5, y: -2, pressure: 1)])
            ])
        ).encoded(),
        "shape block": MarkBlock(shapes).encoded(),
        "image result": record(.imageChunk(.constant(255)))
            + record(.imageChunk(.samples(Block(id: block, frame: [1, 2, 3]))))
            + record(
                .imageEnd(
                    DecodedImageInfo(
                        size: PixelSize(width: 300, height: 128), format: .mask8,
                        maskBounds: PixelRect(x: 1, y: 2, width: 3, height: 4)))),
        "band result": record(
            .band(EncodedPiece(rowCount: 64, rawByteCount: 115_264, adler32: 0x1122_3344, bytes: [1, 2, 3]))),
        "local band result": record(
            .localBand(EncodedPiece(rowCount: 64, rawByteCount: 115_264, adler32: 0x1122_3344, bytes: []), block)),
        "pixels result": record(.pixels(Block(id: block, frame: [1, 2, 3]))),
        "read task": WorkerTask.read(.document(document)).encoded(),
        "draft result": record(.block(Block(id: block, frame: [1, 2, 3])))
            + record(.draft(Block(id: block, frame: [1, 2, 3])))
            + record(.readingEnd(ReadingEnd(warnings: ["odd"]))),
        "request result": record(
            .readingEnd(ReadingEnd(requests: [CompanionRequest(kind: 1, name: Array("a.png".utf8))]))),
        "whole task": WorkerTask.whole(WholeTask(read: .local(block), nanosecondsMax: 2_000_000_000)).encoded(),
        "whole result": record(.draft(Block(id: block, frame: [1, 2, 3])))
            + record(.band(EncodedPiece(rowCount: 64, rawByteCount: 115_264, adler32: 0x1122_3344, bytes: [1, 2, 3])))
            + record(.readingEnd(ReadingEnd())),
        "refusal result": record(
            .readingEnd(ReadingEnd(failure: .io(path: "/in/a.png", operation: "open", errno: 13)))),
    ]

    private static func record(_ item: ResultItem) -> [UInt8] {
        // A record is at most 4 GiB; these are not.
        (try? item.encodedRecord()) ?? []
    }

    /// Name to bytes, from the block that begins with three backticks and `fence`: a line `name:` and indented lines of
    /// hex.
    static func vectors(fence: String = "vectors") throws -> [String: [UInt8]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/protocol.md"), encoding: .utf8)
        var vectors: [String: String] = [:]
        var name: String?
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```" + fence
            } else if isInside, line.hasSuffix(":") {
                name = String(line.dropLast())
                vectors[name!] = ""
            } else if isInside, let name {
                vectors[name]! += line.filter { !$0.isWhitespace }
            }
        }
        return vectors.mapValues { bytes(hex: $0) }
    }

    /// How the document writes bytes.
    static func hex(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 32).map { start in
            "  " + bytes[start..<min(bytes.count, start + 32)].map { String(format: "%02x", $0) }.joined()
        }.joined(separator: "\n")
    }

    @Test("Each example is what the program sends, and is understood")
    func examples() throws {
        let vectors = try Self.vectors()
        for (name, message) in Self.fromWorker {
            let frame = try message.encoded()
            #expect(vectors[name] == frame, "the document should say\n\(name):\n\(Self.hex(frame))")
            #expect((try? WorkerMessage(frame: vectors[name] ?? [])) == message, "\(name)")
        }
        for (name, message) in Self.fromBroker {
            let frame = try message.encoded()
            #expect(vectors[name] == frame, "the document should say\n\(name):\n\(Self.hex(frame))")
            #expect((try? BrokerMessage(frame: vectors[name] ?? [])) == message, "\(name)")
        }
        for (name, content) in Self.content {
            #expect(vectors[name] == content, "the document should say\n\(name):\n\(Self.hex(content))")
        }
        #expect(vectors.count == Self.fromWorker.count + Self.fromBroker.count + Self.content.count)
    }
}
