public import InkEngine
public import InkPlanning
public import InkProtocol

/// One picture to make.
public struct ExportJob: Sendable {
    /// Unique in the broker's life.
    public var id: JobID
    /// The project's name in messages: the file as the person named it.
    public var name: String
    public var source: ExportSource
    public var limits: Limits
    /// The files to write, in the order of the picture's options; a missing folder is made. If there is only one place
    /// for a picture of several files, they become one archive (`PictureArchive`).
    public var destinations: [String]
    /// Exports of a higher priority go first.
    public var priority: Int
    /// Turns in proportion to the others of the same priority; at least 1.
    public var weight: Int

    /// Bytes of the project's file, about how many pixels are wanted, and how the first file is encoded, as far as they
    /// are known before the project is read: for estimates.
    public var byteCount: Int?
    public var pixelCount: Double?
    public var encoding = PictureEncoding()
    /// How many jobs of its priority, or of a higher one, are to be submitted later: where more pictures wait than
    /// threads are free, a thread makes a picture alone.
    public var othersWaiting = 0
    /// Whether its time is estimated, and speaks for other jobs.
    public var isEstimated = true
    /// Measures of its project, to be shared by all jobs of one project.
    public var measures = ProjectMeasures()
    /// Names the unfinished file, so that one that an earlier life left behind is found and replaced; nil: a random
    /// name.
    public var temporaryTag: String?
    /// Whether the file is for its owner only (mode 0600), whatever the process's umask allows.
    public var isPrivate = false
    /// Whether a file that has the name is replaced, also one that gets it while the picture is made.
    public var replaces = true
    /// Whether the file's SHA-256 is wanted; without, the report's digest is empty.
    public var wantsDigest = true
    /// Whether a picture that is a folder is written as one. If not, its file is the archive of that.
    public var makesFolders = true
    /// Called when the picture is complete and on the disk under its temporary name; the picture gets its own name when
    /// it returns. May wait: it is called beside the broker's thread.
    public var seal: (@Sendable (SealedPicture) throws(BrokerError) -> Void)?

    public init(
        id: JobID, name: String, source: ExportSource, limits: Limits = Limits(), destination: String,
        priority: Int = 0, weight: Int = 1
    ) {
        self.id = id
        self.name = name
        self.source = source
        self.limits = limits
        destinations = [destination]
        self.priority = priority
        self.weight = weight
    }

    /// Makes a job for a project that has been read.
    public init(
        id: JobID, name: String, project: Project, order: PictureOrder, limits: Limits = Limits(),
        destination: String, priority: Int = 0, weight: Int = 1
    ) {
        self.init(
            id: id, name: name, source: .ready(project, order), limits: limits, destination: destination,
            priority: priority, weight: weight)
    }
}

/// What an export shows.
public enum ExportSource: Sendable {
    case ready(Project, PictureOrder)
    /// Read by a worker.
    case document(DocumentSource)
}

/// What becomes of an export; ends with one of `finished` and `failed`, exactly once.
public enum BrokerEvent: Sendable {
    case started(JobID)
    /// What the reader of the document has left out or changed, one line each.
    case warned(JobID, [String])
    /// The project has been read and cut into blocks, or its document goes to workers, who do that.
    case prepared(JobID)
    /// Whether one worker makes all of the picture; then the broker holds little for it. So many pictures that are made
    /// alone may be under way for all threads to have one.
    case alone(JobID, Bool, atOnce: Int)
    /// The picture has been cut into these tiles.
    case planned(JobID, PictureTiles)
    /// Tiles done, of so many; not for every one.
    case progress(JobID, done: Int, total: Int)
    /// How long a job still takes, waiting included; now and then, from its submission on while there are workers.
    case timeLeft(JobID, TimeLeft)
    /// More of the picture's file has been written.
    case written(JobID, UnfinishedPicture)
    case finished(JobID, PictureReport)
    case failed(JobID, BrokerError)
    case worker(WorkerNote)
    /// Only with `BrokerConfiguration.notesTasks`.
    case task(TaskNote)
    /// From now on results of tiles cannot be kept, until the disk takes one again.
    case resultsLost(reason: String)
}

/// A picture whose first bytes are in a file.
public struct UnfinishedPicture: Hashable, Sendable {
    /// The file's temporary name; the target's when the picture is finished.
    public var path: String
    /// Bytes that are in it and stay as they are.
    public var byteCount: Int
}
