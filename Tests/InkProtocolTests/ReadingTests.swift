import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@testable import InkProtocol

extension SeededGenerator {
    mutating func documentTask() -> DocumentTask {
        let content = DocumentParts(
            name: text(), parts: (0..<int(0...3)).map { _ in blockID() }, isFolder: bool(),
            encoding: bool() ? .zstd : .plain, isNamedByOthers: bool())
        return DocumentTask(
            name: text(), content: content, companions: (0..<int(0...3)).map { _ in companion() },
            picture: submission().picture, software: text(), limits: limits(), digestsStrokes: bool())
    }

    mutating func companionRequest() -> CompanionRequest {
        CompanionRequest(kind: UInt8(int(0...255)), name: bytes(int(0...20)))
    }

    mutating func companion() -> Companion {
        let answer: Companion.Answer =
            switch int(0...4) {
            case 0: .file((0..<int(0...2)).map { _ in blockID() }, path: text())
            case 1: .missing
            case 2: .nowhere
            case 3:
                .folders(
                    (0..<int(0...2)).map { _ in
                        Companion.Folder(path: text(), isBeside: bool(), files: (0..<int(0...3)).map { _ in text() })
                    })
            default: .failed(engineError())
            }
        return Companion(request: companionRequest(), answer: answer)
    }

    mutating func engineError() -> EngineError {
        switch int(0...5) {
        case 0: .badInput(place(), reason: text())
        case 1: .overLimit(place(), what: text(), found: text(), limit: text())
        case 2: .unavailable(place(), reason: text())
        case 3: .io(path: text(), operation: text(), errno: Int32(int(0...Int(Int32.max))))
        case 4: .cancelled
        default: .internalError(text())
        }
    }

    mutating func readingEnd() -> ReadingEnd {
        ReadingEnd(
            warnings: (0..<int(0...3)).map { _ in text() },
            requests: (0..<int(0...3)).map { _ in companionRequest() }, failure: bool() ? engineError() : nil)
    }

    mutating func limits() -> Limits {
        var limits = Limits()
        guard bool() else { return limits }
        limits.edgePixels = int(0...Limits.edgePixelsMax)
        limits.fileBytes = int(0...Int.max)
        limits.strokes = int(0...9)
        limits.stamps = int(0...9_000_000)
        limits.coordinate = double(0...1e12)
        return limits
    }
}

@Suite("Readings as bytes")
struct ReadingTests {
    /// Those that a broker is started with reach every reader.
    @Test func everyLimitTravels() throws {
        let paths: [WritableKeyPath<Limits, Int>] = [
            \.edgePixels, \.outputPixels, \.imagePixels, \.interlacedImagePixels, \.heldImagePixels, \.svgBytes,
            \.fileBytes, \.jsonDepth, \.jsonValues, \.archiveEntries, \.archiveRatio, \.layers, \.strokes,
            \.pointsPerStroke, \.points, \.stamps, \.shapes, \.symbols, \.pathSegments, \.segments,
            \.packBytes, \.packItems, \.packPictures, \.recipeBytes, \.recipeFiles,
        ]
        // One that is new has to travel, too.
        #expect(Mirror(reflecting: Limits()).children.count == paths.count + 1)
        var limits = Limits()
        for (index, path) in paths.enumerated() { limits[keyPath: path] = 1_000 + index }
        limits.coordinate = 0.5
        var writer = ByteWriter()
        limits.write(to: &writer)
        var reader = ByteReader(writer.bytes)
        #expect(try Limits(from: &reader) == limits)
        try reader.finish("limits")
    }

    @Test func everyErrorTravels() throws {
        let place = Place(file: "a.ink", path: "layers[0]")
        for error in [
            EngineError.badInput(place, reason: "bad"), .overLimit(place, what: "it", found: "3", limit: "2"),
            .unavailable(Place(file: "b"), reason: "none"), .io(path: "/p", operation: "open", errno: 2), .cancelled,
            .internalError("oops"),
        ] {
            var writer = ByteWriter()
            error.write(to: &writer)
            var reader = ByteReader(writer.bytes)
            let read = try EngineError(from: &reader)
            #expect(read == error && read.description == error.description)
            try reader.finish("error")
        }
    }

    @Test("A part that is used twice is listed twice, and needed once")
    func parts() {
        let ids = (1...3).map { BlockID(hashing: [UInt8($0)]) }
        let request = CompanionRequest(kind: 1, name: Array("a.png".utf8))
        let task = DocumentTask(
            name: "a", content: DocumentParts(name: "a", parts: [ids[0], ids[1], ids[0]], isNamedByOthers: true),
            companions: [
                Companion(request: request, answer: .file([ids[2], ids[1]], path: "a.png")),
                Companion(request: request, answer: .missing),
            ], picture: PictureSpec(size: .named("1x")), software: "", limits: Limits(), digestsStrokes: false)
        #expect(ReadTask.document(task).blocks == [ids[0], ids[1], ids[0], ids[2], ids[1]])
        #expect(WorkerTask.read(.document(task)).blocks == ids)
    }

    @Test("What a result may have stays within what a message can say, whatever the limit of a file")
    func resultLimit() {
        for bytes in [0, 1 << 30, 1 << 33, Int.max] {
            let limit = ResultLimit.draft(fileBytes: bytes)
            #expect(limit >= 1 << 31 && limit <= ProtocolLimits.resultBytes)
        }
        #expect(ResultLimit.draft(fileBytes: 1 << 30) == 6 << 30)
    }
}
