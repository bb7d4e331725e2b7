import Glibc
import InkProtocol

/// A job's work, as far as it is known, and how much of it is left.
struct JobEstimate: Sendable {
    enum Phase: Comparable, Sendable {
        case waiting
        case preparing
        case decoding
        case rendering
        case finishing
    }

    /// Work of one kind, by its estimate.
    struct Part: Sendable {
        let kind: WorkKind
        let total: Double
        var left: Double
        /// The time that finished tasks took, and the time that they were estimated to take.
        var measured = 0.0
        var measuredEstimate = 0.0

        init(_ kind: WorkKind, _ total: Double) {
            self.kind = kind
            self.total = max(total, 0)
            left = self.total
        }

        /// What the farm has learned counts as much as a share of the job's own work.
        private var priorWeight: Double { 0.04 * total + 1 }

        func ratio(_ learned: LearnedRatios) -> Double {
            (measured + priorWeight * learned.ratio(of: kind)) / (measuredEstimate + priorWeight)
        }

        /// How little of the estimate is known, from other jobs and from this one: 0 to 1.
        func doubt(_ learned: LearnedRatios) -> Double {
            priorWeight / (measuredEstimate + priorWeight) * min(1, learned.spread(of: kind))
        }

        /// The time of a task whose plan said `estimate`, corrected by what the job itself has shown; nil before that.
        func expected(_ estimate: Double) -> Double? {
            measuredEstimate > 0 ? estimate * measured / measuredEstimate : nil
        }

        func time(_ learned: LearnedRatios) -> Double { left * ratio(learned) }

        mutating func measure(_ nanoseconds: UInt64, of estimate: Double) {
            measured += Double(nanoseconds)
            measuredEstimate += estimate
        }
    }

    /// An estimate that was reported, to be compared with the truth.
    struct Told: Sendable {
        var time: UInt64
        var expected: Double
        var slack: Double
        var sort: ErrorSort
    }

    let submitted: UInt64
    let weight: Double
    var priority: Int
    /// The order of submission.
    let place: Int
    private(set) var phase = Phase.waiting
    private(set) var phaseSince: UInt64
    /// When the last task was done, or the phase began.
    private(set) var lastDone: UInt64
    private(set) var begun: UInt64?
    private(set) var isPaused = false
    /// Whether one thread does all of it.
    var isAlone = false
    /// Until the project has been read: all work of its tasks.
    private(set) var rough: Part
    private(set) var prepare: Part
    private(set) var decode = Part(.decode, 0)
    private(set) var largestImage = 0.0
    private(set) var work: PictureWork?
    private var strokes = Part(.strokes, 0)
    private var composite = Part(.composite, 0)
    private var encode = Part(.strokes, 0)
    private var wholes: [Part] = []
    private var trials: Part?
    private var finish = Part(.finish, 0)
    private var tilesLeft = 0
    /// How tiles differ from what those before them let expect, as a variance of the logarithm.
    private var roughness = (variance: 0.0, count: 0)
    /// Tiles that were looked up among the results of earlier jobs.
    private var found = 0
    private var missed = 0
    /// In the order of time; at most `toldMax`, every `toldStep`th of all.
    private var told: [Told] = []
    private var toldCount = 0
    private var toldStep = 1
    var nextTold: UInt64 = 0

    init(_ size: RoughSize, priority: Int, weight: Int, place: Int, now: UInt64) {
        submitted = now
        phaseSince = now
        lastDone = now
        self.priority = priority
        self.weight = Double(max(1, weight))
        self.place = place
        rough = Part(size.kind, size.work)
        prepare = Part(.prepare, size.prepare)
    }

    // MARK: - What happens to it

    private mutating func enter(_ phase: Phase, now: UInt64) {
        self.phase = phase
        phaseSince = now
        lastDone = now
    }

    private static let toldMax = 256

    mutating func tell(_ estimate: Told) {
        defer { toldCount += 1 }
        guard toldCount % toldStep == 0 else { return }
        if told.count == Self.toldMax {
            told = stride(from: 0, to: told.count, by: 2).map { told[$0] }
            toldStep *= 2
        }
        told.append(estimate)
    }

    /// What stood at moments of equal distance of its way: an estimate counts as often as people see it, and one that is
    /// too long stands longest.
    func toldAtMoments(until end: UInt64) -> [Told] {
        var stood: [Told] = []
        func look(_ count: Int, from start: UInt64, to end: UInt64) {
            guard start < end else { return }
            let step = Double(end - start) / Double(count)
            var index = 0
            for moment in 0..<count {
                let time = start + UInt64((Double(moment) + 0.5) * step)
                while index < told.count, told[index].time <= time { index += 1 }
                if index > 0, told[index - 1].time >= start { stood.append(told[index - 1]) }
            }
        }
        let begun = begun ?? end
        look(4, from: submitted, to: begun)
        look(20, from: begun, to: end)
        return stood
    }

    mutating func pause(_ isPaused: Bool, now: UInt64) {
        self.isPaused = isPaused
        lastDone = now
        // Nobody could have known.
        (told, toldCount, toldStep) = ([], 0, 1)
    }

    mutating func begin(now: UInt64) {
        begun = begun ?? now
        enter(.preparing, now: now)
    }

    /// The project has been read and cut.
    ///
    /// - Parameters:
    ///   - images: the estimates of each that is decoded.
    ///   - preparation: what that took, nanoseconds.
    mutating func prepared(_ work: PictureWork, images: [Double], preparation: UInt64, now: UInt64) {
        prepare.measure(preparation, of: prepare.total)
        prepare.left = 0
        decode = Part(.decode, images.reduce(0, +))
        largestImage = images.max() ?? 0
        take(work)
        enter(.decoding, now: now)
    }

    mutating func planned(_ work: PictureWork, now: UInt64) {
        decode.left = 0
        take(work)
        enter(.rendering, now: now)
    }

    private mutating func take(_ work: PictureWork) {
        self.work = work
        strokes = Part(.strokes, work.rows.reduce(0) { $0 + $1.strokes })
        composite = Part(.composite, work.rows.reduce(0) { $0 + $1.composite })
        encode = Part(work.encoding, work.rows.reduce(0) { $0 + $1.encode })
        wholes = work.wholes.map { Part($0.kind, $0.nanoseconds) }
        trials = work.trials.map { Part($0.kind, $0.total) }
        finish = Part(.finish, work.finish)
        tilesLeft = work.rows.count * work.columns
    }

    /// A worker has done a task.
    mutating func done(_ role: TaskRole, _ phases: PhaseTimes, estimate: Double, now: UInt64) {
        lastDone = now
        guard let work else { return }
        switch role {
        case .read, .whole: break
        case .decode: decode.measure(phases.decode + phases.encode, of: estimate)
        case .tile(let row, _):
            guard work.rows.indices.contains(row) else { return }
            let (cost, columns) = (work.rows[row], Double(work.columns))
            let sealing = work.encodesTiles ? 0 : phases.encode
            noteRoughness(phases, cost, columns)
            strokes.measure(phases.raster, of: cost.strokes / columns)
            composite.measure(phases.composite + phases.decode + sealing, of: cost.composite / columns)
            if work.encodesTiles { encode.measure(phases.encode, of: cost.encode) }
        case .encode(let row):
            guard work.rows.indices.contains(row) else { return }
            encode.measure(phases.encode + phases.decode, of: work.rows[row].encode)
        case .finish(let index):
            guard wholes.indices.contains(index) else { return }
            wholes[index].measure(phases.encode + phases.decode + phases.raster, of: wholes[index].total)
        case .trial: trials?.measure(phases.encode + phases.decode, of: work.trials?.nanoseconds ?? 0)
        }
    }

    private mutating func noteRoughness(_ phases: PhaseTimes, _ cost: PictureWork.Row, _ columns: Double) {
        guard let strokes = strokes.expected(cost.strokes / columns),
            let composite = composite.expected(cost.composite / columns)
        else { return }
        let expected = strokes + composite + (work?.encodesTiles == true ? encode.expected(cost.encode) ?? 0 : 0)
        let found = Double(phases.raster + phases.composite + phases.decode + phases.encode)
        guard expected > 0, found > 0 else { return }
        let weight = max(0.05, 1 / Double(roughness.count + 1))
        roughness.variance += (pow(log(found / expected), 2) - roughness.variance) * weight
        roughness.count += 1
    }

    /// The job has the result of a task; for a result that was found, nobody has worked.
    mutating func accepted(_ role: TaskRole, estimate: Double, now: UInt64) {
        switch role {
        case .read, .whole: break
        case .decode: decode.left = max(0, decode.left - estimate)
        case .tile(let row, _):
            guard let work, work.rows.indices.contains(row) else { return }
            let (cost, columns) = (work.rows[row], Double(work.columns))
            tilesLeft = max(0, tilesLeft - 1)
            strokes.left = tilesLeft == 0 ? 0 : max(0, strokes.left - cost.strokes / columns)
            composite.left = tilesLeft == 0 ? 0 : max(0, composite.left - cost.composite / columns)
            if work.encodesTiles { encode.left = max(0, encode.left - cost.encode) }
        case .encode(let row):
            guard let work, work.rows.indices.contains(row) else { return }
            encode.left = max(0, encode.left - work.rows[row].encode)
        case .finish(let index): if wholes.indices.contains(index) { wholes[index].left = 0 }
        case .trial:
            // Nobody knows which trial is the last: one more task is always expected.
            let each = work?.trials?.nanoseconds ?? 0
            if let left = trials?.left { trials?.left = max(each, left - each) }
        }
        let isDone =
            trials == nil && tilesLeft == 0 && encode.left <= 1e-6 * encode.total && wholes.allSatisfy { $0.left == 0 }
        if phase == .rendering, isDone { enter(.finishing, now: now) }
    }

    /// A worker has made all of it alone, in this time.
    mutating func made(_ phases: PhaseTimes, now: UInt64) {
        strokes.measure(phases.raster, of: strokes.total)
        composite.measure(phases.composite + phases.decode, of: composite.total)
        // Which file took how long of several is not known.
        if wholes.isEmpty { encode.measure(phases.encode, of: encode.total) }
        if wholes.count == 1, encode.total == 0 { wholes[0].measure(phases.encode, of: wholes[0].total) }
        (strokes.left, composite.left, encode.left, tilesLeft) = (0, 0, 0, 0)
        for index in wholes.indices { wholes[index].left = 0 }
        enter(.finishing, now: now)
    }

    /// How the first file is encoded.
    var encoding: WorkKind { work.map { $0.wholes.first?.kind ?? $0.encoding } ?? rough.kind }

    mutating func lookedUp(isFound: Bool) { if isFound { found += 1 } else { missed += 1 } }

    /// What the job has shown of each kind of work.
    func measurements(now: UInt64) -> [(kind: WorkKind, ratio: Double)] {
        var parts = [prepare, decode, strokes, composite, encode] + wholes + [trials].compactMap(\.self)
        let worked = (parts.dropFirst().reduce(0) { $0 + $1.measured })
        var whole = rough
        if found == 0, trials == nil { whole.measure(UInt64(worked), of: rough.total) }
        var end = finish
        if phase == .finishing { end.measure(now - min(now, phaseSince), of: finish.total) }
        parts += [whole, end]
        return parts.filter { $0.measuredEstimate > 0 && $0.measured > 0 }
            .map { ($0.kind, $0.measured / $0.measuredEstimate) }
    }

    // MARK: - What is left

    /// The time that a job still needs, nanoseconds.
    struct Demand: Sendable {
        /// Time on the broker's lane, before tasks.
        var lane = 0.0
        /// Time of all its tasks together, on one thread.
        var threads = 0.0
        /// Time of all its tasks as the scheduler plans it, which is how jobs take turns.
        var turns = 0.0
        /// From the lane to the end, with all threads of the farm.
        var path = 0.0
        /// Time that the broker needs after the last task.
        var finish = 0.0
        /// The part of `path` in which files are encoded as a whole.
        var wholes = 0.0
        /// The part of `lane` and `path` that rests on no measurement.
        var doubtful = 0.0
    }

    /// - Parameters:
    ///   - underWay: tasks that workers have.
    ///   - efficiency: the share of a thread's time that it spends on tasks, above 0.
    func demand(
        _ learned: LearnedRatios, threads: Int, underWay: Int, efficiency: Double, now: UInt64
    ) -> Demand {
        var demand = Demand()
        let count = Double(max(1, threads))
        let inPhase = Double(now - min(now, phaseSince))
        let sinceDone = Double(now - min(now, lastDone))
        let busy = Double(min(underWay, max(1, threads)))
        func add(_ part: Part, path: Double) { demand.doubtful += path * part.doubt(learned) }

        let begins = phase <= .preparing
        if begins {
            demand.lane = Self.rest(prepare.time(learned), after: phase == .preparing ? inPhase : 0)
            demand.doubtful += demand.lane
        }
        guard work != nil else {
            demand.threads = rough.time(learned) / efficiency
            demand.turns = demand.threads
            demand.path = isAlone ? demand.threads : demand.threads / count
            add(rough, path: demand.path)
            return demand
        }
        if phase == .decoding {
            let all = decode.time(learned)
            let left = Self.rest(all, of: 1, after: sinceDone * efficiency, each: all)
            demand.threads += left
            demand.turns += decode.left
            let path = max(left / count, min(left, largestImage * decode.ratio(learned)))
            demand.path += path
            add(decode, path: path)
        }
        let isMissing = found + missed == 0 ? 1 : Double(missed + 1) / Double(missed + found + 1)
        let parts = [strokes, composite, encode].map { (part: $0, time: $0.time(learned) * isMissing) }
        let tiles = parts.reduce(0) { $0 + $1.time }
        let each = tiles / Double(max(1, tilesLeft))
        let isRendering = phase == .rendering && tilesLeft > 0
        let left = isRendering ? Self.rest(tiles, of: busy, after: sinceDone * efficiency, each: each) : tiles
        demand.threads += left
        demand.path += left / count
        // Errors of many tiles even out.
        let rough = (roughness.variance / Double(max(1, tilesLeft))).squareRoot()
        demand.doubtful += min(1, 1.5 * rough) * left / count
        // Tasks that take longer than any before are news of a kind.
        if isRendering, sinceDone * efficiency > each { demand.doubtful += 0.5 * left / count }
        for (part, time) in parts { add(part, path: time / max(1e-9, tiles) * left / count) }

        var (longest, sum) = (0.0, 0.0)
        let isWhole = phase == .rendering && tilesLeft == 0
        for part in wholes where part.left > 0 {
            let rest = Self.rest(part.time(learned), after: isWhole ? sinceDone * efficiency : 0)
            longest = max(longest, rest)
            sum += rest
            add(part, path: rest)
        }
        if let trials, let tasks = work?.trials?.tasks {
            let time = trials.time(learned)
            let path = time / min(count, Double(max(1, tasks)))
            longest += path
            sum += time
            add(trials, path: path)
        }
        demand.threads += sum
        demand.turns += Double(tilesLeft) * (work?.tileTurn ?? 0)
        demand.turns += Double(wholes.count { $0.left > 0 }) * (work?.wholeTurn ?? 0)
        demand.wholes = max(longest, sum / count)
        demand.path += demand.wholes
        (demand.threads, demand.path) = (demand.threads / efficiency, demand.path / efficiency)

        demand.finish = Self.rest(finish.time(learned), after: phase == .finishing ? inPhase : 0)
        demand.path += demand.finish
        add(finish, path: demand.finish)
        return demand
    }

    /// The rest of something that cannot be divided; something that takes longer than was thought takes longer
    /// still.
    private static func rest(_ expected: Double, after elapsed: Double) -> Double {
        max(expected - elapsed, min(0.3 * expected, elapsed), 0.3 * elapsed)
    }

    /// The time that is left of tasks when some of them are under way.
    private static func rest(_ all: Double, of busy: Double, after elapsed: Double, each: Double) -> Double {
        max(0, all - busy * each) + busy * max(each - elapsed, 0.3 * each, 0.3 * elapsed)
    }
}

/// The work of a picture as it is estimated before its project has been read, nanoseconds.
struct RoughSize: Hashable, Sendable {
    /// `unread` or `unknown`.
    var kind: WorkKind
    var work: Double
    var prepare: Double
    var pixels = 0.0
}

/// Estimates that err alike.
struct ErrorSort: Hashable, Sendable {
    /// How far the job is, of `progressSteps`; -1 for one that waits.
    var progress: Int
    /// How much of the estimate rests on no measurement, of `doubtSteps`.
    var doubt: Int
    /// Whether there is no other job.
    var isAlone: Bool
    /// Whether most of the time is that of files that are encoded as a whole: one task each, of which nothing is known
    /// before its end, and which depends on the picture.
    var isWhole: Bool
    /// How the picture's first file is encoded; nil: however.
    var encoding: WorkKind?

    private static let progressSteps = [0.1, 0.2, 0.4, 0.6, 0.8, 0.93]
    private static let doubtSteps = [0.12, 0.3, 0.6]

    /// - Parameters: progress and doubt: shares of the whole time, and of the time left.
    init(progress: Double?, doubt: Double, isAlone: Bool, isWhole: Bool, encoding: WorkKind?) {
        (self.isAlone, self.isWhole, self.encoding) = (isAlone, isWhole, encoding)
        self.progress = progress.map { progress in Self.progressSteps.count { progress >= $0 } } ?? -1
        self.doubt = Self.doubtSteps.count { doubt >= $0 }
    }

    /// This sort for all encodings together.
    var general: ErrorSort {
        var sort = self
        sort.encoding = nil
        return sort
    }

    /// As measured over many pictures, each exported by a farm that had seen none before: the less is known, the larger.
    var usual: ErrorHistory.Usual {
        if isWhole { return ErrorHistory.Usual(low: -1.4, middle: 0, high: 1.7) }
        return ErrorHistory.Usual(low: [-0.4, -0.6, -1, -1.2][doubt], middle: 0, high: [0.6, 0.8, 1.3, 1.8][doubt])
    }
}
