import Foundation
import InkDocuments
import InkEngine
import InkPlanning
import InkProtocol
import InkTestSupport
import Testing

/// What is read of a task is what is read of the file itself.
@Suite("Documents of tasks")
struct TaskDocumentsTests {
    private let folder = ScratchFolder()

    /// A project's file and its warnings, or its error.
    private enum Outcome: Equatable {
        case read([UInt8], warnings: [String])
        case refused(EngineError)

        var error: EngineError? { if case .refused(let error) = self { error } else { nil } }
    }

    private func outcome(_ read: () throws(EngineError) -> (Project, [String])) throws -> Outcome {
        do throws(EngineError) {
            let (project, warnings) = try read()
            return .read(try ProjectWriter.write(project), warnings: warnings)
        } catch {
            return .refused(error)
        }
    }

    /// Reads until nothing is asked for; `rounds` gets how often that was.
    private func outcome(
        _ document: SentDocument, _ companions: FolderCompanions = FolderCompanions(), rounds: inout Int
    ) throws -> Outcome {
        var document = document
        rounds = 0
        while rounds < ProjectLoader.roundsMax {
            rounds += 1
            var reading: DocumentTaskReading?
            let outcome = try outcome { () throws(EngineError) in
                let found = try document.read()
                reading = found
                guard case .read(let project, let warnings) = found else { throw .cancelled }
                return (project, warnings)
            }
            guard case .needs(let requests)? = reading else { return outcome }
            #expect(!requests.isEmpty)
            try document.answer(requests, companions)
        }
        Issue.record("asks without end")
        return .refused(.cancelled)
    }

    /// Reads what lies at a path in both ways.
    private func compare(
        _ path: String, presetFolders: [String] = [], rounds expected: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let here = try outcome { () throws(EngineError) in
            let reading = try ProjectLoader.load(path: path, presetFolders: presetFolders)
            return (reading.project, reading.warnings.map(\.description))
        }
        let (content, companions) = try ProjectLoader.open(path: path, presetFolders: presetFolders, limits: Limits())
        var document = try SentDocument(nil, name: path)
        if case .file(let bytes) = content { document = try SentDocument(bytes, name: path) }
        var rounds = 0
        let there = try outcome(document, companions, rounds: &rounds)
        #expect(there == here, sourceLocation: sourceLocation)
        #expect(rounds == expected, sourceLocation: sourceLocation)
        return there
    }

    private func png(_ name: String) throws {
        let bytes = MinimalPNGWriter.png(gray: [7], size: PixelSize(width: 1, height: 1))
        // With the folders above it.
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    private func text(_ layers: String) -> String {
        #"{"version":"1.2","canvasSize":{"width":9,"height":9},"layers":[\#(layers)]}"#
    }

    @Test func aProjectWithItsWarnings() throws {
        let path = folder.file("p.ink", text(#"{"blendmode":"plus"}"#))
        guard case .read(_, let warnings) = try compare(path, rounds: 1) else {
            Issue.record("it is not read")
            return
        }
        #expect(warnings.count == 1)
        #expect(try compare(folder.file("q.ink", "{"), rounds: 1).error != nil)
        #expect(try compare(folder.file("empty.ink", ""), rounds: 1).error != nil)
    }

    @Test func packedContent() throws {
        let plain = Array(text(#"{"name":"A"},{"name":"B"}"#).utf8)
        var rounds = 0
        let expected = try outcome(SentDocument(plain), rounds: &rounds)
        let packed = try Zstandard.compress(plain)
        #expect(try outcome(SentDocument(packed, encoding: .zstd), rounds: &rounds) == expected)
        var limits = Limits()
        limits.fileBytes = plain.count
        #expect(try outcome(SentDocument(packed, encoding: .zstd, limits: limits), rounds: &rounds) == expected)
    }

    /// As a broker said it that unpacked what it was sent.
    @Test func packedContentThatIsNone() throws {
        let plain = Array(text(#"{"name":"A"}"#).utf8)
        let packed = try Zstandard.compress(plain)
        var limits = Limits()
        for (bytes, limit) in [
            (Array(packed.dropLast(3)), 1 << 30), ([], 1 << 30), (plain, 1 << 30), (packed, plain.count - 1),
        ] {
            limits.fileBytes = limit
            let document = try SentDocument(bytes, encoding: .zstd, limits: limits)
            let error = #expect(throws: EngineError.self) { try document.read() }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("job: the content is not a project: "), "\(text)")
        }
    }

    @Test func picturesAndPresets() throws {
        try png("art/a.png")
        try png("b.png")
        folder.file("brushes/x.json", #"{"id":"x","defaults":{"type":"dots","spacing":9}}"#)
        folder.file("mine/y.json", #"{"id":"y","type":"waves","speed":1}"#)
        let brushes = ["x", "y"].map { #"{"brush":{"preset":"\#($0)"},"points":[[1,2]]}"# }
        let strokes = #""strokes":[\#(brushes.joined(separator: ","))]"#
        let path = folder.file("p.ink", text(#"{"contentFile":"art/a.png","maskFile":"b.png",\#(strokes)}"#))
        #expect(try compare(path, presetFolders: [folder("mine")], rounds: 3).error == nil)
        // The same error in both ways.
        #expect(try compare(path, rounds: 3).error != nil)
        let missing = folder.file("q.ink", text(#"{"contentFile":"none.png"}"#))
        let error = try compare(missing, rounds: 2).error
        #expect(
            error
                == .badInput(
                    Place(file: missing, path: "layers[0].contentFile"),
                    reason: #"there is no file "none.png" in the project's folder"#))
    }

    @Test func aFolderIsATemplate() throws {
        folder.file("t.inktemplate/manifest.json", #"{"layers":[{"id":"a","name":"A"},{"name":"B"}]}"#)
        for name in ["base.png", "layers/a_mask.png", "layers/B_mask.png"] { try png("t.inktemplate/" + name) }
        #expect(try compare(folder("t.inktemplate"), rounds: 3).error == nil)
        folder.folder("none.inktemplate")
        #expect(try compare(folder("none.inktemplate"), rounds: 2).error != nil)
    }

    /// They come from a broker that is not one: a worker says so, and the document is not to blame.
    @Test(arguments: [
        (UInt8(0), "a.png"), (5, "a.png"), (1, "../a.png"), (1, "/a.png"), (1, "a//b.png"), (1, ""), (3, "x"),
        (4, "a.json"), (4, "0/../a.json"), (4, "0/a\u{0}.json"), (2, "./manifest.json"),
    ])
    func namesThatNobodyAsksFor(kind: UInt8, name: String) throws {
        var document = try SentDocument(text(""))
        document.add(kind, name, .missing)
        let error = #expect(throws: EngineError.self) { try document.read() }
        guard case .internalError? = error else {
            Issue.record("\(kind) \(name): \(String(describing: error))")
            return
        }
    }

    @Test("A file that could not be opened is the error that it was, where the reader comes to it")
    func failedFiles() throws {
        let failure = EngineError.io(path: "/p/a.png", operation: "open", errno: 13)
        var document = try SentDocument(text(#"{"contentFile":"a.png"}"#))
        document.add(1, "a.png", .failed(failure))
        #expect(throws: failure) { try document.read() }
        // Nobody needs it.
        document = try SentDocument(text(#"{"name":"A"}"#))
        document.add(1, "a.png", .failed(failure))
        #expect(throws: Never.self) { try document.read() }
    }

    @Test func answersOfAnotherKindMakeNoPicture() throws {
        for answer in [Companion.Answer.missing, .folders([]), .file([], path: "/p/a.png"), .nowhere] {
            var document = try SentDocument(text(#"{"contentFile":"a.png"}"#))
            document.add(1, "a.png", answer)
            let error = #expect(throws: EngineError.self) { try document.read() }
            guard case .badInput? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
