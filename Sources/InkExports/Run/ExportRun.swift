import Glibc
import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkSystem
import Synchronization

/// Renders the pictures of a plan: reads projects ahead on other threads, submits pictures to the farm, and keeps
/// the records.
///
/// Everything except reading happens on the thread that calls `run`.
struct ExportRun {
    enum Event: Sendable {
        /// The project of group `group` has been read; the number is the nanoseconds it took.
        case opened(
            group: Int, [PreparedPicture], warnings: [ReadingWarning], namesFiles: Bool, nanoseconds: UInt64)
        case unreadable(group: Int, EngineError)
        case farm(FarmEvent)
        case stop(StopSignal)
    }

    /// The pictures of one input, which share its project.
    struct Group: Sendable {
        var input: ExportInput
        var pictures: [PlannedPicture]
        /// Index of the first picture's record.
        var firstRecord: Int
        /// Size of the file, bytes; 0 if unknown.
        var byteCount: Int
    }

    let groups: [Group]
    let preparation: PicturePreparation
    let opener: any ProjectOpener
    let farm: any ExportFarm
    let observer: any ExportObserver
    let queue: EventQueue<Event>
    let run: RunArguments

    /// The most bytes of project files in memory at once; a larger project is read alone. A project takes about three
    /// times its size while it is read and sent.
    static let readAheadBytesMax = 96 << 20
    /// The most threads that read projects.
    private static let readersMax = 32
    /// Milliseconds that a cancelled farm may take to end.
    static let cancellationTimeMax = 10_000.0

    private(set) var records: [ExportRecord]
    private(set) var stoppedBy: StopSignal?
    private let gate: ReadAheadGate
    private let clock = Stopwatch()
    /// The pictures that the farm makes, by record.
    private var underWay: Set<Int> = []
    /// The records of each picture that the farm makes, by its id.
    private var files: [Int: [Int]] = [:]
    private var activeInGroup: [Int]
    /// The number of pictures that still need their group's project in memory.
    private var heldInGroup: [Int]
    /// The records that no longer need it.
    private var taken: Set<Int> = []
    private var groupOfRecord: [Int: Int] = [:]
    private var groupsOpen: Int
    /// Pictures whose projects have not been read.
    private var unread: Int
    private var isStopping = false
    /// Whether it has been said that a format has no transparency.
    private var saidThatFlattened = false
    private var saidWhatStaysBehind = false
    private var stopTime = 0.0

    /// - Parameters:
    ///   - failed: records of inputs that could not be planned.
    ///   - readAheadCount: the most projects in memory at once.
    init(
        inputs: [ExportInput], plan: ExportPlan, failed: [ExportRecord], preparation: PicturePreparation,
        opener: any ProjectOpener, farm: any ExportFarm, observer: any ExportObserver, queue: EventQueue<Event>,
        run: RunArguments, readAheadCount: Int
    ) {
        var groups: [Group] = []
        var records: [ExportRecord] = []
        for picture in plan.pictures {
            if groups.isEmpty || groups[groups.count - 1].pictures[0].input != picture.input {
                let input = inputs[picture.input]
                groups.append(
                    Group(input: input, pictures: [], firstRecord: records.count, byteCount: input.byteCount))
            }
            groups[groups.count - 1].pictures.append(picture)
            groupOfRecord[records.count] = groups.count - 1
            records.append(ExportRecord(input: inputs[picture.input], picture: picture))
        }
        self.groups = groups
        self.records = records + failed
        self.preparation = preparation
        self.opener = opener
        self.farm = farm
        self.observer = observer
        self.queue = queue
        self.run = run
        observer.began(pictures: records.count)
        gate = ReadAheadGate(countMax: readAheadCount, byteCountMax: Self.readAheadBytesMax)
        activeInGroup = groups.map(\.pictures.count)
        heldInGroup = activeInGroup
        groupsOpen = groups.count
        unread = records.count
    }

    /// Exports everything; returns when all records have ended and no picture is in progress.
    ///
    /// - Parameter startFarm: starts the farm while the first project is being read.
    mutating func execute(startFarm: () throws(ExportError) -> Void) throws(ExportError) {
        let isFailed = !run.keepsGoing && records.contains { $0.state == .failed }
        if isFailed { gate.close() }
        try startReader()
        do throws(ExportError) {
            try startFarm()
        } catch {
            gate.close()
            throw error
        }
        if isFailed { stop() }
        while groupsOpen > 0 || !underWay.isEmpty {
            for event in queue.receive(waitingAtMost: 100) { try handle(event) }
            observer.passed(milliseconds: clock.milliseconds)
            if isStopping {
                if underWay.isEmpty { break }
                // The farm promises an end for each picture. If it breaks the promise, Ctrl-C must still work.
                if clock.milliseconds - stopTime > Self.cancellationTimeMax { break }
            }
        }
        gate.close()
        observer.ended()
        for index in records.indices where records[index].state == .waiting || records[index].state == .running {
            records[index].state = .cancelled
        }
    }

    private mutating func handle(_ event: Event) throws(ExportError) {
        switch event {
        case .opened(let group, let pictures, let warnings, let namesFiles, let nanoseconds):
            let name = groups[group].input.shownName
            if !warnings.isEmpty { observer.hasRead(name, warnings) }
            let refusal = run.isStrict ? PictureFailure(strictly: warnings, of: name) : nil
            for (offset, picture) in pictures.enumerated() {
                let index = groups[group].firstRecord + offset
                unread -= 1
                records[index].warnings = warnings
                records[index].namesFiles = namesFiles
                if let refusal {
                    fail(index, refusal, isSaid: offset > 0)
                } else {
                    records[index].readTime = nanoseconds
                    try begin(index, picture)
                }
            }
        case .unreadable(let group, let error):
            unread -= groups[group].pictures.count
            for offset in groups[group].pictures.indices {
                // One line per file, even if several pictures fail with it.
                fail(groups[group].firstRecord + offset, PictureFailure(error), isSaid: offset > 0)
            }
        case .farm(let event):
            handle(event)
        case .stop(let signal):
            observer.stopping()
            if stoppedBy == nil { stoppedBy = signal }
            stop()
        }
    }

    private mutating func begin(_ index: Int, _ picture: PreparedPicture) throws(ExportError) {
        switch picture {
        case .failed(let failure): fail(index, failure)
        case .unchanged(let size):
            records[index].pixels = size
            end(index, .skipped)
        case .joined(let size):
            records[index].pixels = size
            records[index].isFurtherFile = true
        case .ready(var request):
            request.othersWaiting = unread
            records[index].pixels = request.size
            files[index] = request.ids
            sayWhatIsFlattened(request)
            sayWhatStaysBehind(request)
            if run.isDryRun {
                try observer.planned(request)
                end(all: index, .planned)
            } else if isStopping {
                end(all: index, .cancelled)
            } else {
                for id in request.ids { records[id].state = .running }
                underWay.insert(index)
                observer.started(index, output: request.outputs[0], files: request.outputs.count)
                if !request.formatWarnings.isEmpty { warn(request.formatWarnings, of: request.id) }
                farm.submit(request)
            }
        }
    }

    /// Says once per run that a format has no transparency, where nobody has asked for that.
    private mutating func sayWhatIsFlattened(_ request: PictureRequest) {
        let background = request.options.background ?? request.project.background
        guard !saidThatFlattened, !background.isOpaque, request.options.colorMode != .rgb else { return }
        let codecs = request.options.files.compactMap { PictureCodecs.codec(of: $0.encoding.format) }
        guard let codec = codecs.first(where: { !$0.hasAlpha && !$0.isVector }) else { return }
        saidThatFlattened = true
        observer.remark("\(codec.name) has no transparency; what is transparent becomes white")
    }

    /// Says once that a format has no place for what photos say about themselves, where some of it was to stay.
    private mutating func sayWhatStaysBehind(_ request: PictureRequest) {
        let metadata = request.project.metadata
        guard !saidWhatStaysBehind, request.options.hasMetadata, !request.options.keeps.isEmpty,
            metadata.exif != nil || metadata.xmp != nil
        else { return }
        let codecs = request.options.files.compactMap { PictureCodecs.codec(of: $0.encoding.format) }
        guard let codec = codecs.first(where: { !$0.holdsPhotoMetadata }) else { return }
        saidWhatStaysBehind = true
        observer.remark("\(codec.name) has no place for EXIF and XMP; what photos say about themselves stays behind")
    }

    private mutating func warn(_ warnings: [ReadingWarning], of index: Int) {
        records[index].warnings += warnings
        observer.hasRead(records[index].output ?? records[index].input.shownName, warnings)
    }

    private mutating func handle(_ event: FarmEvent) {
        switch event {
        case .taken(let index): for id in files[index] ?? [] { letGo(id) }
        case .news(let text):
            observer.warning(text)
        case .started: break
        case .progress(let index, let done, let total): observer.progressed(index, done: done, total: total)
        case .timeLeft(let index, let time): observer.estimated(index, time)
        case .finished(let index, let picture):
            guard underWay.contains(index) else { return }
            for (id, own) in zip(files[index] ?? [], picture.ofEachFile) { records[id].report = own }
            for id in files[index] ?? [] { end(id, .done) }
        case .failed(let index, let failure):
            guard underWay.remove(index) != nil else { return }
            // One line for the picture, though several files fail with it.
            for (offset, id) in (files[index] ?? []).enumerated() { fail(id, failure, isSaid: offset > 0) }
        case .cancelled(let index):
            guard underWay.contains(index) else { return }
            end(all: index, .cancelled)
        }
    }

    /// Ends all files of a picture.
    private mutating func end(all index: Int, _ state: ExportState) {
        for id in files[index] ?? [] { end(id, state) }
    }

    private mutating func fail(_ index: Int, _ failure: PictureFailure, isSaid: Bool = false) {
        records[index].failure = failure
        if !isSaid { observer.error(failure.reason) }
        end(index, .failed)
        if !run.keepsGoing { stop() }
    }

    private mutating func end(_ index: Int, _ state: ExportState) {
        records[index].state = state
        underWay.remove(index)
        let isRendered = state == .done && !records[index].isFurtherFile
        observer.ended(index, pixels: isRendered ? records[index].pixels?.area ?? 0 : 0)
        guard let group = groupOfRecord[index] else { return }
        letGo(index)
        activeInGroup[group] -= 1
        if activeInGroup[group] == 0 { groupsOpen -= 1 }
    }

    /// The picture no longer needs its project. After a project's last picture another project can be read.
    private mutating func letGo(_ index: Int) {
        guard let group = groupOfRecord[index], taken.insert(index).inserted else { return }
        heldInGroup[group] -= 1
        if heldInGroup[group] == 0 { gate.leave(byteCount: groups[group].byteCount) }
    }

    private mutating func stop() {
        guard !isStopping else { return }
        isStopping = true
        stopTime = clock.milliseconds
        gate.close()
        farm.cancelAll()
    }

    private func startReader() throws(ExportError) {
        let readers = ProjectReaders(
            groups: groups, preparation: preparation, opener: opener, gate: gate, queue: queue)
        // A thread reads about as fast as eight render.
        let count = min(Self.readersMax, farm.threadCount / 8 + 1)
        do throws(SystemFailure) { try readers.start(count: count) } catch {
            throw .noThread("reading projects", error)
        }
    }
}

/// The threads that read projects in the order of the plan, while earlier ones are rendered.
final class ProjectReaders: Sendable {
    private let groups: [ExportRun.Group]
    private let preparation: PicturePreparation
    private let opener: any ProjectOpener
    private let gate: ReadAheadGate
    private let queue: EventQueue<ExportRun.Event>
    private let next = Atomic<Int>(0)

    init(
        groups: [ExportRun.Group], preparation: PicturePreparation, opener: any ProjectOpener, gate: ReadAheadGate,
        queue: EventQueue<ExportRun.Event>
    ) {
        self.groups = groups
        self.preparation = preparation
        self.opener = opener
        self.gate = gate
        self.queue = queue
    }

    /// Starts threads; they end after the last project, or when the gate is closed. With fewer it takes longer.
    ///
    /// - Throws: when the system gives none.
    func start(count: Int) throws(SystemFailure) {
        for index in 0..<max(1, min(count, groups.count)) {
            do throws(SystemFailure) {
                try PosixThread("project-reader") { [self] in read() }.detach()
            } catch {
                if index == 0 { throw error }
                return
            }
        }
    }

    private func read() {
        ProcessMemory.growHeap()
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < groups.count, gate.enter(byteCount: groups[index].byteCount) else { return }
            read(groups[index], index)
        }
    }

    private func read(_ group: ExportRun.Group, _ index: Int) {
        let clock = Stopwatch()
        do {
            let opened = try opener.open(group.input)
            let nanoseconds = clock.nanoseconds
            let pictures = preparation.prepare(
                group.pictures, firstID: group.firstRecord, input: group.input, opened: opened)
            var warnings = opened.warnings
            for case .ready(let request) in pictures {
                warnings += request.warnings.filter { !warnings.contains($0) }
            }
            queue.post(
                .opened(
                    group: index, pictures, warnings: warnings, namesFiles: opened.namesFiles,
                    nanoseconds: nanoseconds))
        } catch {
            queue.post(.unreadable(group: index, error))
        }
    }
}
