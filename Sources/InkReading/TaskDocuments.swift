import InkDocuments
public import InkEngine
public import InkPlanning
public import InkProtocol

/// Reads documents of all kinds for workers.
public struct TaskDocuments: DocumentTaskReader {
    public init() {}

    public func read(
        _ task: DocumentTask, bytes: (BlockID) throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> DocumentTaskReading {
        var answers = CompanionAnswers()
        for companion in task.companions {
            guard let kind = CompanionName.Kind(rawValue: companion.request.kind),
                let name = CompanionName(kind, utf8: companion.request.name)
            else { throw .internalError("a file beside \(task.name) that no reader asks for") }
            answers[name] = try answer(companion.answer, bytes)
        }
        let content: DocumentContent =
            task.content.isFolder ? .folder : .file(try file(task, bytes))
        let round = try ProjectLoader.load(
            content, name: task.content.name, isNamedByOthers: task.content.isNamedByOthers, companions: answers,
            limits: task.limits)
        switch round {
        case .read(let reading): return .read(reading.project, warnings: reading.warnings.map(\.description))
        case .needs(let names):
            return .needs(names.map { CompanionRequest(kind: $0.kind.rawValue, name: $0.utf8) })
        }
    }

    private func file(
        _ task: DocumentTask, _ bytes: (BlockID) throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> [UInt8] {
        let whole = try joined(task.content.parts, bytes)
        if task.content.encoding == .plain { return whole }
        do throws(ProtocolError) {
            return try Zstandard.decompress(whole, limit: task.limits.fileBytes)
        } catch {
            throw .badInput(Place(file: task.name), reason: "the content is not a project: \(error)")
        }
    }

    private func answer(
        _ answer: Companion.Answer, _ bytes: (BlockID) throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> Result<CompanionAnswer, EngineError> {
        switch answer {
        case .file(let parts, let path): .success(.file(try joined(parts, bytes), path: path))
        case .missing: .success(.missing)
        case .nowhere: .success(.nowhere)
        case .folders(let folders):
            .success(
                .presetFolders(
                    folders.map { PresetFolder(path: $0.path, isBeside: $0.isBeside, files: $0.files) }))
        case .failed(let error): .failure(error)
        }
    }

    private func joined(
        _ parts: [BlockID], _ bytes: (BlockID) throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> [UInt8] {
        var whole: [UInt8] = []
        for part in parts { whole += try bytes(part) }
        return whole
    }
}
