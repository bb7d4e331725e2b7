import InkEngine
import InkProtocol

/// What is to be done.
enum SchedulerAction: Hashable, Sendable {
    case dispatch(Dispatch)
    /// The worker need not go on; it answers all the same.
    case cancel(WorkerID, AttemptID)
    /// All tasks of the job's first stages are done: say which stages follow.
    case planStages(JobID)
    /// The result is the task's; no other will be accepted for it.
    case accept(WorkerID, AttemptID, JobID, TaskPosition)
    /// The result is kept, neither accepted nor dropped, until another worker's can be compared with it.
    case hold(WorkerID, AttemptID)
    /// Nobody wants the result any more.
    case drop(WorkerID, AttemptID)
    /// Every result of the job has been accepted. Nothing further is said of it.
    case jobComplete(JobID)
    /// Nothing further is said of the job.
    case jobFailed(JobID, JobFailure)
    /// The worker holds tasks long past their deadlines, or its results are wrong; it is treated as lost from here on.
    case dismiss(WorkerID, reason: String)
}

/// A task for a worker.
struct Dispatch: Hashable, Sendable {
    var id: AttemptID
    var worker: WorkerID
    var job: JobID
    var position: TaskPosition
    /// On the scheduler's clock, nanoseconds.
    var deadline: UInt64
    /// Another worker is at it, too, but slow.
    var isRace = false
}

/// Why a job failed.
enum JobFailure: Hashable, Sendable {
    case badInput(TaskPosition, EngineError)
    /// What happened to the task that failed too often, oldest first.
    case attemptsExhausted(TaskPosition, story: [String])
    case noWorkers(waitedNanoseconds: UInt64)
    /// The workers of the renderer version that made the job's first tiles have left; others are there.
    case rendererGone(version: String)
}

/// How patient a scheduler is.
struct SchedulerRules: Hashable, Sendable {
    /// Failures after which a task fails its job.
    var failuresMax = 3
    /// Tries after which those that workers did not take on count as failures, too.
    var attemptsMax: UInt32 = 20
    /// The least time a worker has for a task, nanoseconds.
    var leaseMin: UInt64 = 30_000_000_000
    /// A lease is no less than this many times the estimate.
    var leasePerEstimate: UInt64 = 100
    /// A worker that holds a task this much longer than its lease is dismissed, nanoseconds.
    var dismissalGrace: UInt64 = 30_000_000_000
    /// How long jobs wait when there is no worker that could take a task; nil for ever. Nanoseconds.
    var workerWait: UInt64?
    /// How long a job waits for workers of its renderer version while there are others, nanoseconds.
    var rendererWait: UInt64 = 10_000_000_000
    /// Of the estimated work while a higher priority keeps the farm busy, one in so many parts goes to the lower ones.
    var lowerShare: UInt64 = 16
    /// Of the estimated work, one in so many parts may be done twice to be done sooner.
    var raceShare: UInt64 = 25
    /// Tasks' worth of work that may be done twice beyond that share.
    var raceAllowance: UInt64 = 4
    /// Of all tasks, how many are done by two workers and compared: 0 to 1.
    var verifyShare = 0.0
    /// Lines kept of what happened to a task.
    var storyLines = 8
}
