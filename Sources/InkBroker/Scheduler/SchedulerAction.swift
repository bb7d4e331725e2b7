import InkEngine
import InkProtocol

/// An action for the caller of the scheduler.
enum SchedulerAction: Hashable, Sendable {
    case dispatch(Dispatch)
    /// A result of an earlier job may serve; the caller answers with `lookedUp`. `version`: the renderer's.
    case lookUp(TaskID, JobID, TaskPosition, version: String)
    /// The result that was looked up is accepted for the task.
    case acceptFound(TaskID, JobID, TaskPosition)
    /// The worker need not continue; it still answers.
    case cancel(WorkerID, AttemptID)
    /// All tasks of the job's stages so far are done; the caller must provide the following stages.
    case planStages(JobID)
    /// The result is accepted for the task; no other will be.
    case accept(WorkerID, AttemptID, JobID, TaskPosition)
    /// The result is kept, neither accepted nor dropped, until it can be compared with another worker's.
    case hold(WorkerID, AttemptID)
    /// The result is not needed any more.
    case drop(WorkerID, AttemptID)
    /// Every result of the job has been accepted. The last action for the job.
    case jobComplete(JobID)
    /// The last action for the job.
    case jobFailed(JobID, JobFailure)
    /// The worker holds tasks long past their deadlines, or its results are wrong. It counts as lost from now on.
    case dismiss(WorkerID, reason: String)
}

/// A task for a worker.
struct Dispatch: Hashable, Sendable {
    var id: AttemptID
    var worker: WorkerID
    var job: JobID
    var position: TaskPosition
    /// Time on the scheduler's clock, in nanoseconds.
    var deadline: UInt64
    /// A slow worker has the task, too.
    var isRace = false
    /// An attempt counts against the task, and none has given a result.
    var hasFailed = false
}

/// Why a job failed.
enum JobFailure: Hashable, Sendable {
    case badInput(TaskPosition, EngineError)
    /// The events of the task that failed too often, oldest first.
    case attemptsExhausted(TaskPosition, story: [String])
    case noWorkers(waitedNanoseconds: UInt64)
    /// The workers of the renderer version that made the job's first tiles have left; others are there.
    case rendererGone(version: String)
}

/// The scheduler's limits and timeouts.
struct SchedulerRules: Hashable, Sendable {
    /// Number of failures after which a task fails its job.
    var failuresMax = 3
    /// Number of attempts after which attempts that workers did not accept count as failures, too.
    var attemptsMax: UInt32 = 20
    /// Minimum time of a lease, in nanoseconds.
    var leaseMin: UInt64 = 30_000_000_000
    /// Minimum time of a lease as a multiple of the estimate.
    var leasePerEstimate: UInt64 = 100
    /// A worker that holds a task this much longer than its lease is dismissed, in nanoseconds.
    var dismissalGrace: UInt64 = 30_000_000_000
    /// How long jobs wait if no worker could take a task, in nanoseconds; nil: forever.
    var workerWait: UInt64?
    /// How long a job waits for workers of its renderer version while there are others, in nanoseconds.
    var rendererWait: UInt64 = 10_000_000_000
    /// While a higher priority keeps the farm busy, 1/`lowerShare` of the estimated work goes to lower priorities.
    var lowerShare: UInt64 = 16
    /// 1/`raceShare` of the estimated work may be done twice to finish sooner.
    var raceShare: UInt64 = 25
    /// Number of tasks that may be done twice in addition to that share.
    var raceAllowance: UInt64 = 4
    /// Share of all tasks that two workers do for comparison: 0 to 1.
    var verifyShare = 0.0
    /// Number of tasks of a job that are being looked up, or that were and wait for a worker.
    var lookUpsMax = 32
    /// Number of events kept per task.
    var storyLines = 8
}
