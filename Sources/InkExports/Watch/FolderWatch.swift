import Glibc
import InkCodecs
import InkDocuments
import InkEngine
import InkSystem
import Synchronization

/// Stops a watch from another thread.
package final class WatchControl: Sendable {
    private struct State {
        var stoppedBy: StopSignal?
        var round: ExportControl?
    }

    private let state = Mutex(State())
    fileprivate let notices: FolderNotices

    /// - Throws: if the system gives no notices.
    package init() throws(ExportError) {
        notices = try rethrowing(try FolderNotices()) { FolderWatch.refusal($0, folder: "the folders") }
    }

    /// Ends the watch: pictures that are not done are cancelled, and leave nothing on disk.
    ///
    /// - Returns: whether exports are going on, which may take seconds to end: one that plans or connects to a farm is
    ///   not interrupted.
    package func stop(_ signal: StopSignal) -> Bool {
        let round = state.withLock { state in
            state.stoppedBy = state.stoppedBy ?? signal
            return state.round
        }
        round?.stop(signal)
        notices.wake()
        return round != nil
    }

    fileprivate func endRound() { state.withLock { $0.round = nil } }

    fileprivate var stoppedBy: StopSignal? { state.withLock(\.stoppedBy) }

    /// The control of the next exports.
    fileprivate func beginRound() -> ExportControl {
        let control = ExportControl()
        let signal = state.withLock { state in
            state.round = control
            return state.stoppedBy
        }
        if let signal { control.stop(signal) }
        return control
    }
}

/// What a watch tells its user besides the progress of exports.
package enum WatchNews: Sendable {
    /// It has begun: the number of folders.
    case watching(folders: Int)
    /// These exports have ended.
    case ended([ExportRecord])
    /// A folder or file of the command line has gone.
    case gone(String)
    /// It is there again.
    case back(String)
}

/// Exports what is new or changed in folders, until it is stopped. Decides nothing itself: see `WatchState`.
package struct FolderWatch {
    /// The most documents whose last exports are kept for the summary and the report.
    private static let keptMax = 100_000
    /// Seconds that a look around may take at most while nothing happens, so that a stop is noticed in any case.
    private static let patience = 60.0

    private let exports: Exports
    private let arguments: ExportArguments
    private let observer: any ExportObserver
    private var hasSearched = false
    private let control: WatchControl
    private let tell: (WatchNews) throws(ExportError) -> Void
    private let clock = Stopwatch()

    private var state: WatchState<DocumentStamp>
    /// A folder may be reached by several paths.
    private var folders: [Int32: [WatchedFolders.Place]] = [:]
    private var gone: Set<String> = []
    /// Problems of the last search, each of which is reported once.
    private var problems: Set<String> = []
    /// The farm's last problem, which is reported once.
    private var farmProblem: String?
    /// Who has written a picture, so that documents of like names do not replace each other's.
    private var owners: [FilePlace: String] = [:]
    private var kept: [FilePlace: (order: Int, records: [ExportRecord])] = [:]
    private var order = 0
    private var result: FinishedExports

    /// - Parameters:
    ///   - exports: of these arguments; its inputs are found by the watch.
    ///   - tell: gets the news; if it throws, the watch ends with that.
    package init(
        _ exports: Exports, _ arguments: ExportArguments, observer: any ExportObserver, control: WatchControl,
        tell: @escaping (WatchNews) throws(ExportError) -> Void
    ) {
        self.exports = exports
        self.arguments = arguments
        self.observer = observer
        self.control = control
        self.tell = tell
        let takesPhotos = arguments.photos.isWanted
        let takesDocuments = arguments.takesDocuments
        state = WatchState { path in
            let name = path.splitPath().name
            return DocumentReaders.endings.contains { name.hasEnding($0) }
                || takesPhotos && DocumentReaders.pictureEndings.contains { name.hasEnding($0) }
                || takesDocuments && InputFinder.isDocument(path)
        }
        result = FinishedExports(
            records: [], milliseconds: 0, policy: arguments.ifExists ?? .skipUnchanged,
            rendererVersion: TileRenderer.version, workers: 0)
    }

    /// Exports until `control` stops it.
    ///
    /// - Returns: the last exports of each document.
    /// - Throws: if a folder is missing at the start, or the request cannot be met.
    package mutating func run() throws(ExportError) -> FinishedExports {
        FileDescriptor.ignoreLeaseSignals()
        for path in arguments.paths
        where try ExportError.wrapping(try !FileSystem.exists(path)) {
            throw .engine(.io(path: path, operation: "watch", errno: FileSystem.missingError))
        }
        try exports.checkRequest()
        var hasBegun = false
        while control.stoppedBy == nil {
            for action in state.actions(at: now) {
                if control.stoppedBy != nil { break }
                switch action {
                case .search:
                    try search()
                    if !hasBegun { try tell(.watching(folders: folders.count)) }
                    hasBegun = true
                case .inspect(let input):
                    let look = DocumentStamp.look(at: input)
                    state.handle(.inspected(input.path, look.stamp, look.writers), at: now)
                case .export(let inputs): try export(inputs)
                }
            }
            let wait = min(Self.patience, max(0, state.nextDue - now))
            for notice in control.notices.read(waitingAtMost: Int((wait * 1000).rounded(.up))) { take(notice) }
        }
        observer.stopping()
        result.stoppedBy = control.stoppedBy
        result.records = kept.values.sorted { $0.order < $1.order }.flatMap(\.records)
        return result
    }

    private var now: Double { clock.milliseconds / 1000 }

    private mutating func take(_ notice: FolderNotice) {
        if notice.kind == .overflow || notice.kind == .folderGone { return state.handle(.lost, at: now) }
        // Searches skip names that begin with a dot, such as those of unfinished pictures.
        guard let name = notice.name, !name.hasPrefix(".") else { return }
        for folder in folders[notice.watch] ?? [] {
            let path = folder.path.appendingPath(name)
            if let document = folder.document {
                state.handle(.changedInside(document: document), at: now)
                // A folder inside has to be watched too.
                if notice.isFolder { state.handle(.named(path, isFolder: true), at: now) }
            } else if !Self.isOwn(path, owners) {
                state.handle(
                    notice.kind == .written ? .written(path) : .named(path, isFolder: notice.isFolder), at: now)
            }
        }
    }

    /// Whether a path is a picture of this watch, or in one that is a folder.
    private static func isOwn(_ path: String, _ owners: [FilePlace: String]) -> Bool {
        var path = FileSystem.resolved(path)
        while !path.isEmpty, path != "/" {
            if owners[FilePlace(resolved: path)] != nil { return true }
            path = path.splitPath().folder
        }
        return false
    }

    // MARK: - Searching

    private mutating func search() throws(ExportError) {
        let watched = WatchedFolders(control.notices)
        var isPartial = false
        for path in arguments.paths {
            // One that cannot be looked at is reported as gone, and as back when it can.
            let isThere = (try? FileSystem.exists(path)) == true
            if !isThere { isPartial = true }
            if isThere, gone.remove(path) != nil { try tell(.back(path)) }
            if !isThere, gone.insert(path).inserted { try tell(.gone(path)) }
        }
        let items = try InputFinder.find(
            arguments.paths, photos: arguments.photos, takesDocuments: arguments.takesDocuments,
            // Later searches find the pictures of this watch as well.
            onSkipped: { skipped in if !hasSearched { observer.skipped(skipped) } },
            onFolder: { [owners] folder in
                if !Self.isOwn(folder, owners) { watched.add(folder) }
            })
        hasSearched = true
        var documents: [(ExportInput, DocumentStamp?)] = []
        for item in items {
            switch item {
            case .failure(_, let error): watched.problems.append(error.description)
            case .input(let input):
                if input.tree.isEmpty { watched.add(input.folder) }
                if input.isTemplateFolder { watched.addAll(input.path, of: input.path) }
                documents.append((input, DocumentStamp(of: input)))
            }
        }
        for number in folders.keys where watched.places[number] == nil { control.notices.unwatch(number) }
        folders = watched.places
        for problem in watched.problems where !problems.contains(problem) { observer.warning(problem) }
        problems = Set(watched.problems)
        state.handle(.searched(documents, isPartial: isPartial || !problems.isEmpty), at: now)
    }

    fileprivate static func refusal(_ failure: SystemFailure, folder: String) -> ExportError {
        switch failure.errno {
        case ENOSPC:
            .engine(
                .unavailable(
                    Place(file: folder),
                    reason: "changes are noticed late: the system allows this user no more watched folders "
                        + "(raise fs.inotify.max_user_watches)"))
        case EMFILE:
            .configuration(
                "\(folder) cannot be watched: this user has too many watches open (raise fs.inotify.max_user_instances)"
            )
        default: .engine(EngineError(failure, path: folder))
        }
    }

    // MARK: - Exporting

    /// Exports documents that are ready; answers for each.
    private mutating func export(_ inputs: [ExportInput]) throws(ExportError) {
        let round = exports.round(of: inputs, protecting: protected, control: control.beginRound())
        let finished: FinishedExports
        do throws(ExportError) {
            defer { control.endRound() }
            let planned = try round.plan()
            try claim(planned)
            finished = try round.run(planned)
        } catch {
            return try cannotExport(inputs, error)
        }
        farmProblem = nil
        result.milliseconds += finished.milliseconds
        result.rendererVersion = finished.rendererVersion
        result.workers = finished.workers
        result.broker = finished.broker
        var records: [FilePlace: [ExportRecord]] = [:]
        for record in finished.records { records[FilePlace(resolved: record.input.path), default: []].append(record) }
        for input in inputs {
            let place = FilePlace(resolved: input.path)
            // One that has gone before its turn is nobody's failure.
            if (try? FileSystem.exists(input.path)) != false { keep(records[place] ?? [], of: place) }
            state.handle(.ended(input.path, Self.result(of: records[place] ?? [])), at: now)
        }
        try tell(.ended(finished.records))
    }

    private static func result(of records: [ExportRecord]) -> WatchState<DocumentStamp>.Result {
        if records.contains(where: { $0.state == .cancelled || $0.failure?.kind == .unreachable }) { return .postponed }
        if records.contains(where: { $0.state == .failed }) { return .failed }
        return .done(namesFiles: records.contains(where: \.namesFiles))
    }

    /// What fails before any picture is the farm's fault or that of one document, which is then found by exporting each
    /// alone.
    private mutating func cannotExport(_ inputs: [ExportInput], _ error: ExportError) throws(ExportError) {
        switch error {
        case .outputClosed: throw error
        case .farm(let failure):
            if farmProblem != failure.reason { observer.error(failure.reason) }
            farmProblem = failure.reason
            for input in inputs { state.handle(.ended(input.path, .postponed), at: now) }
        default:
            if inputs.count > 1 {
                for input in inputs {
                    if control.stoppedBy != nil { return }
                    try export([input])
                }
                return
            }
            observer.error(error.description)
            let failure = ExportRecord(input: inputs[0], failure: PictureFailure(error))
            keep([failure], of: FilePlace(resolved: inputs[0].path))
            state.handle(.ended(inputs[0].path, .failed), at: now)
            try tell(.ended([failure]))
        }
    }

    /// Documents that a picture might replace.
    private var protected: [String] {
        state.paths.filter { PictureCodecs.codec(ofFile: $0) != nil }
    }

    /// - Throws: `usage` if another document, which is still there, has made one of the pictures.
    private mutating func claim(_ planned: Exports.Planned) throws(ExportError) {
        for picture in planned.plan.pictures {
            let path = planned.inputs[picture.input].path
            let place = FilePlace(picture.output)
            if let owner = owners[place], owner != path, state.isThere(owner) {
                throw .usage("\(picture.output) would be the name of \(owner) and \(path) (see --name)")
            }
        }
        for picture in planned.plan.pictures {
            let path = planned.inputs[picture.input].path
            owners[FilePlace(picture.output)] = path
            if picture.output.hasEnding(".dzi") {
                owners[FilePlace(picture.output.dropLast(4) + "_files")] = path
            }
        }
    }

    private mutating func keep(_ records: [ExportRecord], of place: FilePlace) {
        // A picture of this watch that is unchanged since remains one that it has exported.
        let wasMade = kept[place]?.records.allSatisfy { $0.state == .done || $0.state == .skipped } ?? false
        if wasMade, records.allSatisfy({ $0.state == .skipped }) { return }
        order += 1
        kept[place] = (order, records)
        guard kept.count > Self.keptMax, let oldest = kept.min(by: { $0.value.order < $1.value.order }) else { return }
        kept[oldest.key] = nil
    }
}

/// The folders that a search has found, which are watched from then on.
private final class WatchedFolders {
    struct Place: Hashable {
        var path: String
        /// The document that it is, or that it is in.
        var document: String?
    }

    /// How deep folders inside a document are watched.
    private static let depthMax = 3

    private let notices: FolderNotices
    private(set) var places: [Int32: [Place]] = [:]
    var problems: [String] = []

    init(_ notices: FolderNotices) { self.notices = notices }

    func add(_ folder: String, of document: String? = nil) {
        do throws(SystemFailure) {
            let place = Place(path: folder, document: document)
            let number = try notices.watch(folder)
            if places[number]?.contains(place) != true { places[number, default: []].append(place) }
        } catch {
            // One that has just disappeared is missed, if it is one of the command line.
            if error.errno == ENOENT || error.errno == ENOTDIR { return }
            problems.append(FolderWatch.refusal(error, folder: folder).description)
        }
    }

    /// Adds a folder that is a document, and those inside.
    func addAll(_ folder: String, of document: String, depth: Int = 0) {
        add(folder, of: document)
        guard depth < Self.depthMax else { return }
        // One that cannot be read fails when it is exported.
        for entry in (try? FileSystem.entries(folder)) ?? [] where !entry.name.hasPrefix(".") {
            guard case .success(.folder?) = entry.kind else { continue }
            addAll(folder.appendingPath(entry.name), of: document, depth: depth + 1)
        }
    }
}
