import InkEngine
import InkProtocol
import InkReading
import Synchronization

@testable import InkWorker

/// Results of tasks, by task. Blocks are named by their content, so equal tasks have equal results.
final class Recordings {
    struct Result: Sendable {
        /// Of messages.
        var parts: [[UInt8]]
        var byteCount: UInt64
        var phases: PhaseTimes
    }

    /// The blocks of all workers' tasks.
    let cache = BlockCache(limitBytes: 256 << 20)
    private let engine = EngineTaskRunner(threads: 1, documents: TaskDocuments())
    private var results: [WorkerTask: Result] = [:]

    func result(of task: WorkerTask) -> Result? { results[Self.key(of: task)] }

    /// Has the engine do a task whose blocks are in the cache, and keeps the result.
    func record(_ task: WorkerTask, limitBytes: UInt64) throws -> Result {
        let cutting = Cutting(limitBytes: limitBytes)
        let context = TaskContext(blocks: cache, threadIndex: 0) { (item) throws(EngineError) in
            try cutting.add(item)
        }
        let phases = try engine.run(task, in: context)
        let (parts, byteCount) = try cutting.end()
        let result = Result(parts: parts, byteCount: byteCount, phases: phases)
        results[Self.key(of: task)] = result
        return result
    }

    /// The tasks of projects of the same content differ by the names of their files, and the projects by their ids.
    private static func key(of task: WorkerTask) -> WorkerTask {
        switch task {
        case .decode(var decode):
            decode.place = Place(file: "")
            return .decode(decode)
        case .read(let read): return .read(key(of: read))
        case .whole(var whole):
            whole.read = key(of: whole.read)
            return .whole(whole)
        default: return task
        }
    }

    private static func key(of read: ReadTask) -> ReadTask {
        guard case .document(var document) = read else { return read }
        document.name = ""
        document.content.parts = []
        return .document(document)
    }
}

/// Cuts what a task emits into parts.
private final class Cutting: Sendable {
    private struct State {
        var cutter: ResultCutter
        var parts: [[UInt8]] = []
    }

    private let state: Mutex<State>

    init(limitBytes: UInt64) { state = Mutex(State(cutter: ResultCutter(limitBytes: limitBytes))) }

    func add(_ item: ResultItem) throws(EngineError) {
        try state.withLock { state throws(EngineError) in
            var made: [[UInt8]] = []
            try state.cutter.append(item) { (_, bytes) throws(EngineError) in made.append(bytes) }
            state.parts += made
        }
    }

    func end() throws(EngineError) -> (parts: [[UInt8]], byteCount: UInt64) {
        try state.withLock { state throws(EngineError) in
            var made: [[UInt8]] = []
            try state.cutter.flush { (_, bytes) throws(EngineError) in made.append(bytes) }
            return (state.parts + made, state.cutter.totalBytes)
        }
    }
}
