import Glibc
public import InkEngine
public import InkPlanning
public import InkProtocol
import Synchronization

/// The outcome of a task that was run again.
public struct ReplayReport: Hashable, Sendable {
    /// Description of the task.
    public var title: String
    public var phases: PhaseTimes
    /// Total bytes of the result's items, as they would have been sent.
    public var resultBytes: Int
    /// SHA-256 of these bytes, 32 bytes: the same in every run of a renderer version on processors of one kind.
    public var digest: [UInt8]
}

/// Runs a task that a broker has saved (`ReplayFile`), in this process and on this thread, in order to reproduce a
/// crash.
public enum TaskReplay {
    /// - Parameters:
    ///   - path: of the file.
    ///   - documents: reads the documents of tasks.
    /// - Throws: `io` if the file cannot be read, `badInput` if it is not a replay file, and errors of the task.
    public static func run(path: String, documents: any DocumentTaskReader) throws(EngineError) -> ReplayReport {
        let bytes = try InputFile.read(path: path, limitBytes: 4 << 30)
        let file: ReplayFile
        do throws(ProtocolError) { file = try ReplayFile(decoding: bytes) } catch {
            throw .badInput(Place(file: path), reason: "is not a replay file: \(error)")
        }
        let cache = BlockCache(limitBytes: .max)
        for block in file.blocks { cache.insert(block, holders: 1) }
        let sent = Sent()
        let context = TaskContext(blocks: cache, threadIndex: 0) { item throws(EngineError) in
            do throws(ProtocolError) { sent.add(try item.encodedRecord()) } catch { throw .internalError("\(error)") }
        }
        let phases = try EngineTaskRunner(threads: 1, documents: documents).run(file.task, in: context)
        let (count, digest) = sent.end()
        return ReplayReport(title: file.title, phases: phases, resultBytes: count, digest: digest)
    }

    private final class Sent: Sendable {
        private struct State: @unchecked Sendable {
            var count = 0
            let hash = SHA256()
        }

        private let state = Mutex(State())

        func add(_ bytes: [UInt8]) {
            state.withLock { state in
                state.count += bytes.count
                state.hash.update(bytes)
            }
        }

        func end() -> (Int, [UInt8]) { state.withLock { ($0.count, $0.hash.finish()) } }
    }
}
