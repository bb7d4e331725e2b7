public import InkEngine
import Synchronization

/// Companions by their names, or the errors of opening them.
public typealias CompanionAnswers = [CompanionName: Result<CompanionAnswer, EngineError>]

/// Companions that were opened elsewhere. Takes down the names of those that are asked for and were not given.
final class GivenCompanions: CompanionFiles {
    private let answers: CompanionAnswers
    private let asked = Mutex<(order: [CompanionName], all: Set<CompanionName>)>(([], []))

    init(_ answers: CompanionAnswers) { self.answers = answers }

    /// The names without an answer, in the order in which they were first asked for.
    var unanswered: [CompanionName] { asked.withLock { $0.order } }

    func answer(to name: CompanionName, limitBytes: Int) throws(EngineError) -> CompanionAnswer? {
        guard let answer = try answers[name]?.get() else {
            asked.withLock { if $0.all.insert(name).inserted { $0.order.append(name) } }
            return nil
        }
        // Whoever opened it did not know what other files leave of the limit.
        if case .file(let bytes, let path) = answer, bytes.count > limitBytes {
            throw InputFile.overLimit(file: path, count: bytes.count, limit: limitBytes)
        }
        return answer
    }
}
