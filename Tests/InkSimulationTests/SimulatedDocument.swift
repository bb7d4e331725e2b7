import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

@testable import InkBroker
@testable import InkWorker

/// What the project of a job is read from. Its bytes name the job.
struct SimulatedDocument: Sendable {
    enum Kind {
        case sound
        /// Its reader finds it wrong.
        case refused
        /// Whoever reads it dies.
        case deadly
    }

    let job: JobNumber
    let kind: Kind
    /// How often its reader asks for files beside it.
    let rounds: Int

    static let refusal = "layer 1: nobody can read this"

    init(of job: JobNumber, seed: UInt64) {
        self.job = job
        rounds = Int((seed / 11 + job) % 4)
        switch (seed / 3 + 5 * job) % 16 {
        case 0: kind = .refused
        case 1: kind = .deadly
        default: kind = .sound
        }
    }

    var bytes: [UInt8] { Array("document \(job)".utf8) }

    /// - Parameter round: from 0.
    func requests(inRound round: Int) -> [CompanionRequest] {
        (0...(round + Int(job)) % 3).map { CompanionRequest(kind: UInt8(round), name: Array("file \($0)".utf8)) }
    }

    /// Some files are missing, and so is whatever the reader of an honest worker does not ask for.
    func found(_ request: CompanionRequest) -> FoundCompanion {
        let isThere = request.kind < rounds && (UInt64(request.kind) + job + UInt64(request.name.last ?? 0)) % 3 != 0
        guard isThere else { return FoundCompanion(Companion(request: request, answer: .missing)) }
        let name = String(decoding: request.name, as: UTF8.self)
        return FoundCompanion(
            Companion(request: request, answer: .file([], path: name)),
            bytes: Array("\(name) of \(request.kind) beside document \(job)".utf8))
    }
}

/// Reads these documents, and checks that it has been given what it asked for.
struct SimulatedReader: DocumentTaskReader {
    let seed: UInt64

    typealias Bytes = (BlockID) throws(EngineError) -> [UInt8]

    func read(_ task: DocumentTask, bytes: Bytes) throws(EngineError) -> DocumentTaskReading {
        let document = try document(of: task, bytes: bytes)
        for companion in task.companions {
            let expected = document.found(companion.request)
            var isThere = false
            var found: [UInt8] = []
            if case .file(let parts, _) = companion.answer {
                isThere = true
                found = try joined(parts, bytes)
            }
            var isExpected = false
            if case .file = expected.companion.answer { isExpected = true }
            guard isThere == isExpected, found == expected.bytes else {
                throw .internalError("the file \(companion.request) of job \(document.job) is another")
            }
        }
        let known = Set(task.companions.map(\.request))
        for round in 0..<document.rounds {
            let needed = document.requests(inRound: round).filter { !known.contains($0) }
            if !needed.isEmpty { return .needs(needed) }
        }
        if document.kind == .refused {
            throw .badInput(Place(file: task.name), reason: SimulatedDocument.refusal)
        }
        let warnings = known.isEmpty ? [] : ["\(known.count) files"]
        return .read(SimulatedBroker.project(of: document.job), warnings: warnings)
    }

    func document(of task: DocumentTask, bytes: Bytes) throws(EngineError) -> SimulatedDocument {
        let text = String(decoding: try joined(task.content.parts, bytes), as: UTF8.self)
        guard let job = JobNumber(text.drop { !$0.isNumber }) else {
            throw .internalError("\"\(text)\" is no document")
        }
        return SimulatedDocument(of: job, seed: seed)
    }

    private func joined(_ parts: [BlockID], _ bytes: Bytes) throws(EngineError) -> [UInt8] {
        var whole: [UInt8] = []
        for part in parts { whole += try bytes(part) }
        return whole
    }
}

/// A result that no honest worker gives.
struct Lie: Hashable {
    var connection: Connection
    var task: TaskID
    var attempt: UInt32
}

extension DocumentTask {
    /// A result that must not be believed, instead of an honest one.
    ///
    /// - Parameter number: which of the kinds of lie.
    func lie(_ number: UInt64, instead honest: [ResultItem], of document: SimulatedDocument) throws -> [ResultItem] {
        let ending = ResultItem.readingEnd(ReadingEnd())
        let request = CompanionRequest(kind: 0, name: Array("file 0".utf8))
        let block = try Block(content: document.bytes)
        switch number {
        case 0:
            return [.readingEnd(ReadingEnd(requests: [request, request]))]
        case 1:
            // A block under another's name.
            return [.block(Block(id: BlockID(hashing: []), frame: block.frame))] + honest
        case 2: return [.block(block), ending]
        case 3:
            // Half a draft.
            return try honest.map { item in
                guard case .draft(let part) = item else { return item }
                let content = try part.content()
                return .draft(try Block(content: Array(content.prefix(content.count / 2))))
            } + (honest.count == 1 ? [ending] : [])
        case 4:
            // A block that the draft names does not come.
            guard let index = honest.firstIndex(where: { if case .block = $0 { true } else { false } }) else {
                return [ending]
            }
            var items = honest
            items.remove(at: index)
            return items
        case 5, 6, 7:
            // Pieces of another picture: one less, one of other rows, or blocks beside them.
            guard let index = honest.firstIndex(where: { if case .band = $0 { true } else { false } }),
                case .band(var piece) = honest[index]
            else { return [ending] }
            var items = honest
            piece.rowCount += 1
            switch number {
            // Without any, it would be the draft of a picture in which nothing is.
            case 5 where index + 2 == items.count: return [ending]
            case 5: items.remove(at: index)
            case 6: items[index] = .band(piece)
            default: items.insert(.block(block), at: 0)
            }
            return items
        default:
            // The draft of a picture of another job's size.
            var other = self
            guard case .exact(let size) = picture.size else { return [ending] }
            other.picture.size = .exact(PixelSize(width: size.width, height: size.height + 16))
            return try other.result(of: .read(SimulatedBroker.project(of: document.job), warnings: []))
        }
    }
}
