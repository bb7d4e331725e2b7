import InkDocuments
import InkEngine
import InkPlanning
import InkProtocol
import InkReading

/// A document as a broker sends it, with its blocks at hand.
struct SentDocument {
    var task: DocumentTask
    private(set) var blocks: [BlockID: Block] = [:]
    private var answers: CompanionAnswers = [:]

    /// - Parameter bytes: nil for a folder.
    init(
        _ bytes: [UInt8]?, name: String = "a.ink", encoding: ContentEncoding = .plain, limits: Limits = Limits()
    ) throws {
        let content = DocumentParts(
            name: name, parts: [], isFolder: bytes == nil, encoding: encoding, isNamedByOthers: false)
        task = DocumentTask(
            name: "job", content: content, picture: PictureSpec(size: .named("1x")), software: "ink 1.0",
            limits: limits, digestsStrokes: false)
        task.content.parts = try add(bytes ?? [])
    }

    init(_ text: String, limits: Limits = Limits()) throws { try self.init(Array(text.utf8), limits: limits) }

    /// Makes blocks, so small that every file has several; their names.
    mutating func add(_ bytes: [UInt8]) throws -> [BlockID] {
        var parts: [BlockID] = []
        for start in stride(from: 0, to: bytes.count, by: 40) {
            let block = try Block(content: Array(bytes[start..<min(bytes.count, start + 40)]))
            blocks[block.id] = block
            parts.append(block.id)
        }
        return parts
    }

    mutating func add(_ kind: UInt8, _ name: String, _ answer: Companion.Answer) {
        let request = CompanionRequest(kind: kind, name: Array(name.utf8))
        task.companions.append(Companion(request: request, answer: answer))
    }

    /// Answers requests as a broker does.
    mutating func answer(_ requests: [CompanionRequest], _ companions: FolderCompanions) throws {
        var names: [CompanionName] = []
        for request in requests {
            guard let kind = CompanionName.Kind(rawValue: request.kind),
                let name = CompanionName(kind, utf8: request.name)
            else { throw EngineError.internalError("\(request) is no name") }
            names.append(name)
        }
        companions.answer(names, limits: task.limits, into: &answers)
        for (request, name) in zip(requests, names) {
            let answer: Companion.Answer
            switch answers[name] {
            case .success(.file(let bytes, let path)): answer = .file(try add(bytes), path: path)
            case .success(.nowhere): answer = .nowhere
            case .success(.presetFolders(let folders)):
                answer = .folders(
                    folders.map { Companion.Folder(path: $0.path, isBeside: $0.isBeside, files: $0.files) })
            case .success(.missing), nil: answer = .missing
            case .failure(let error): answer = .failed(error)
            }
            task.companions.append(Companion(request: request, answer: answer))
        }
    }

    func read() throws(EngineError) -> DocumentTaskReading {
        try TaskDocuments().read(task) { id throws(EngineError) in
            guard let block = blocks[id] else { throw .internalError("block \(id) is not at hand") }
            do throws(ProtocolError) { return try block.content() } catch { throw .internalError("\(error)") }
        }
    }
}
