package import InkBroker
import InkEngine
import InkPlanning
import InkProtocol
package import InkWorker
import Synchronization

/// A broker and its workers in this process, which speak the farm's protocol over `inproc://`.
final class EmbeddedFarm: ExportFarm {
    /// Blocks that the workers keep between them, bytes.
    private static let cacheBytesMax = 128 << 20
    /// Most bytes of blocks that broker and workers share by reference; further ones are compressed.
    private static let localBytesMax = 256 << 20
    /// The least that a worker is trusted with, bytes.
    private static let workerCacheBytesMin = 16 << 20
    private static let endpoint = "inproc://ink-export"

    private struct State {
        var broker: Broker?
        var workers: [Worker] = []
        /// Since the first task, or the submission.
        var active: [UInt64: Stopwatch] = [:]
        var failedWorkers = 0
        /// Why the last of them failed.
        var lastFailure: PictureFailure?
        /// Why there is no worker left; nil if there is one.
        var failure: PictureFailure? { failedWorkers >= workers.count ? lastFailure : nil }
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        /// The project that was submitted last.
        var measured: (digest: [UInt8], measures: ProjectMeasures)?
    }

    let rendererVersion = TileRenderer.version
    private let workerCount: Int
    /// Those that the system has given.
    var threadCount: Int { state.withLock { $0.workers.isEmpty ? workerCount : $0.workers.count } }
    private let limits: Limits
    private let cache: CacheArguments?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - workerCount: workers of one render thread each.
    ///   - cache: where results of tiles are kept.
    init(workerCount: Int, limits: Limits, cache: CacheArguments? = nil) {
        self.cache = cache
        self.workerCount = workerCount
        self.limits = limits
    }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        state.withLock { $0.onEvent = onEvent }
        let context: ZeroMQContext
        do {
            context = try ZeroMQContext()
        } catch {
            throw PictureFailure(error, "the farm")
        }
        let local = LocalBlocks(byteCountMax: Self.localBytesMax)
        try startBroker(context, local)
        try startWorkers(context, local)
    }

    private func startBroker(_ context: ZeroMQContext, _ local: LocalBlocks) throws(PictureFailure) {
        var configuration = BrokerConfiguration(endpoint: Self.endpoint)
        configuration.rendererVersion = rendererVersion
        // Enough to keep every worker busy over the ends of exports that share them.
        configuration.activeExports = workerCount + 2
        if let cache { (configuration.resultFolder, configuration.resultBytes) = (cache.folder, cache.bytesMax) }
        do {
            let broker = try Broker(
                configuration: configuration, context: context, local: local
            ) { [self] event in tell(event) }
            try broker.start()
            state.withLock { $0.broker = broker }
        } catch {
            throw PictureFailure(error)
        }
    }

    private func startWorkers(_ context: ZeroMQContext, _ local: LocalBlocks) throws(PictureFailure) {
        let cache = BlockCache(limitBytes: Self.cacheBytesMax, local: local)
        for index in 0..<workerCount {
            var configuration = WorkerConfiguration(
                endpoint: Self.endpoint, name: "local-\(index + 1)", rendererVersion: rendererVersion, threads: 1)
            configuration.cacheBytes = max(Self.workerCacheBytesMin, Self.cacheBytesMax / workerCount)
            do {
                let worker = try Worker(
                    configuration: configuration, context: context, runner: EngineTaskRunner(threads: 1), cache: cache
                ) { [weak self] news in
                    if case .failed(let error) = news { self?.workerFailed(error) }
                }
                try worker.start()
                state.withLock { $0.workers.append(worker) }
            } catch {
                // With fewer it takes longer.
                if index > 0 {
                    let news = "only \(index) of \(workerCount) render threads could be started"
                    state.withLock(\.onEvent)?(.news(news))
                    return
                }
                stop()
                throw PictureFailure(error)
            }
        }
    }

    /// Other workers take over; if it was the last one, the pictures fail.
    private func workerFailed(_ error: WorkerError) {
        let failure = PictureFailure(error)
        let lost = state.withLock { state -> [UInt64] in
            state.failedWorkers += 1
            state.lastFailure = failure
            return state.failure == nil ? [] : Array(state.active.keys)
        }
        for id in lost { end(id, .failed(Int(id), failure)) }
    }

    func submit(_ request: PictureRequest) {
        let id = UInt64(request.id)
        let (broker, failure) = state.withLock { state in
            state.active[id] = Stopwatch()
            return (state.broker, state.failure)
        }
        if let failure { return end(id, .failed(request.id, failure)) }
        guard let broker else {
            let failure = PictureFailure(kind: .unreachable, reason: "\(request.name): the farm is not running")
            return end(id, .failed(request.id, failure))
        }
        var job = ExportJob(
            id: JobID(id), name: request.name, project: request.project,
            order: PictureOrder(
                output: request.size, options: request.options, software: "ink \(ProgramVersion.text)"),
            limits: limits, destination: request.outputs[0])
        job.destinations = request.outputs
        job.measures = measures(of: request)
        job.replaces = request.replacesFile
        job.wantsDigest = request.wantsFileDigest
        job.othersWaiting = request.othersWaiting
        broker.submit(job)
    }

    /// Pictures of one project come one after the other.
    private func measures(of request: PictureRequest) -> ProjectMeasures {
        state.withLock { state in
            if let last = state.measured, last.digest == request.contentDigest { return last.measures }
            let measures = ProjectMeasures()
            state.measured = (request.contentDigest, measures)
            return measures
        }
    }

    func cancelAll() {
        let (broker, active) = state.withLock { ($0.broker, $0.active.keys) }
        for id in active { broker?.cancel(JobID(id)) }
    }

    func stop() {
        let (broker, workers) = state.withLock { state in
            defer {
                state.broker = nil
                state.workers = []
            }
            return (state.broker, state.workers)
        }
        broker?.stop()
        for worker in workers { worker.stopNow() }
    }

    private func tell(_ event: BrokerEvent) {
        switch event {
        case .started(let job):
            let onEvent = state.withLock { state in
                state.active[job.rawValue] = Stopwatch()
                return state.onEvent
            }
            onEvent?(.started(Int(job.rawValue)))
        case .progress(let job, let done, let total):
            state.withLock(\.onEvent)?(.progress(Int(job.rawValue), done: done, total: total))
        case .timeLeft(let job, let time): state.withLock(\.onEvent)?(.timeLeft(Int(job.rawValue), time))
        case .warned, .prepared, .alone, .planned, .written, .worker, .task: break
        case .resultsLost(let reason):
            state.withLock(\.onEvent)?(.news("results are not kept in the cache: \(reason)"))
        case .finished(let job, var picture):
            picture.elapsed = state.withLock { $0.active[job.rawValue] }?.nanoseconds ?? picture.elapsed
            end(job.rawValue, .finished(Int(job.rawValue), picture))
        case .failed(let job, let error):
            let id = Int(job.rawValue)
            end(job.rawValue, error.isCancellation ? .cancelled(id) : .failed(id, PictureFailure(error)))
        }
    }

    private func end(_ id: UInt64, _ event: FarmEvent) {
        let onEvent = state.withLock { state in
            state.active[id] = nil
            return state.onEvent
        }
        onEvent?(event)
    }
}

extension PictureFailure {
    package init(_ error: BrokerError) {
        let kind: ExitCode =
            switch error {
            case .refused(let cause): cause.exitCode
            case .taskFailed, .packing, .internalError, .configuration: .internalError
            case .transport(let cause): cause.isShortage ? .inputOutput : .unreachable
            case .noWorkers, .rendererGone: .unreachable
            case .source, .output, .targetNotAFile, .spill, .journal, .noThread, .results: .inputOutput
            case .cancelled: .exportFailed
            }
        self.init(kind: kind, reason: error.advised)
    }

    package init(_ error: WorkerError) {
        let kind: ExitCode =
            switch error {
            case .noThread: .inputOutput
            case .transport(let cause): cause.isShortage ? .inputOutput : .unreachable
            case .refused: .unreachable
            case .configuration: .configuration
            }
        self.init(kind: kind, reason: error.description)
    }
}
