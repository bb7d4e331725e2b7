import InkSystem

/// Decides when the documents in watched folders are exported: events in, actions out, without disk or clock.
///
/// Notices of changes only say where to look. What counts is the stamp of a document: it is exported when its stamp is not
/// that of the last export, and nobody has changed it for a while. So a lost or doubled notice does no harm, as long as a
/// search follows, and a search is repeated from time to time. Times are seconds of any clock that does not go back.
struct WatchState<Stamp: Hashable & Sendable>: Sendable {
    /// What happened.
    enum Event: Sendable {
        /// The documents that a search has found, with their stamps. `isPartial` if something could not be searched or
        /// watched: it is searched again soon.
        case searched([(input: ExportInput, stamp: Stamp?)], isPartial: Bool)
        /// A file in a watched folder has been written.
        case written(String)
        /// A name in a watched folder has appeared, disappeared or got another file.
        case named(String, isFolder: Bool)
        /// Something has changed inside a document that is a folder.
        case changedInside(document: String)
        /// Notices have been lost, or a folder has gone.
        case lost
        /// The answer to `inspect`; the stamp is nil if the document is not there.
        case inspected(String, Stamp?, FileWriters)
        /// An export that `export` asked for has ended.
        case ended(String, Result)
    }

    enum Result: Hashable, Sendable {
        /// The picture is there. `namesFiles` if the document consists of further files beside it.
        case done(namesFiles: Bool)
        /// Tried again when it changes.
        case failed
        /// Not the document's fault: tried again later.
        case postponed
    }

    enum Action: Hashable, Sendable {
        /// Search all folders.
        case search
        /// Look at the stamp of a document, and at who writes it.
        case inspect(ExportInput)
        /// Export these documents, and answer `ended` for each. Until then no further ones are asked for.
        case export([ExportInput])
    }

    struct Times: Sendable {
        /// A document is left alone for so long after each change; a folder of several files for longer.
        var settling = 0.3
        var folderSettling = 1.0
        /// One of which the system does not know the writers is left alone for so long.
        var unknownSettling = 2.0
        /// Between looks at a document that is being written.
        var writing = 1.0
        /// A search follows a change of names after this time, so that one search is made for many.
        var search = 0.1
        /// A search of folders that were not complete is repeated after this time, all others after `anySearch`, since some
        /// file systems give no notice.
        var partialSearch = 1.0
        var anySearch = 60.0
        /// An export that is postponed is repeated after this time.
        var postponement = 5.0
        /// After a search there is none for so many times as long as it took.
        var pause = 4.0
    }

    private struct Document {
        var input: ExportInput
        var isThere = true
        /// When to look at it; nil: not before something happens.
        var due: Double?
        /// The document's stamp at the last export, whatever its result.
        var settled: Stamp?
        /// The document's stamp at the last look.
        var seen: Stamp?
        /// Since then nobody has written it.
        var isReady = false
        /// Exported even if its stamp is unchanged.
        var isForced = false
        var isExporting = false
        var namesFiles = false
        var hasFailed = false

        /// Whether its picture may be another when a file beside it is. Only projects name files.
        var dependsOnOthers: Bool { (namesFiles || hasFailed) && input.path.hasEnding(".ink") }
    }

    /// The most documents of one export: those after it are looked at again first, since it may take long.
    static var exportMax: Int { 64 }
    /// Documents that have gone and are remembered, so that one that is moved back is not exported again.
    static var goneMax: Int { 10_000 }

    private let times: Times
    /// Whether a name may be a document's.
    private let isDocumentName: @Sendable (String) -> Bool
    /// By the bytes of their paths.
    private var documents: [FilePlace: Document] = [:]
    private var goneCount = 0
    private var searchDue: Double? = 0
    private var isSearching = false
    private var searchBegan = 0.0
    private var noSearchBefore = 0.0
    private var exportingCount = 0

    init(times: Times = Times(), isDocumentName: @escaping @Sendable (String) -> Bool) {
        self.times = times
        self.isDocumentName = isDocumentName
    }

    /// When `actions` may have something new, if no event arrives before.
    var nextDue: Double {
        var next = isSearching ? .infinity : searchDue ?? .infinity
        for document in documents.values where exportingCount == 0 {
            if document.isReady { return -.infinity }
            next = min(next, document.due ?? .infinity)
        }
        return next
    }

    /// Whether the document at a path is there, as far as known.
    func isThere(_ path: String) -> Bool { documents[FilePlace(resolved: path)]?.isThere == true }

    /// The paths of all documents that are there.
    var paths: [String] { documents.values.filter(\.isThere).map(\.input.path) }

    /// Whether nothing is being exported, waits to be, or is about to be looked at.
    var isQuiet: Bool {
        exportingCount == 0 && !isSearching && documents.values.allSatisfy { $0.due == nil && !$0.isReady }
    }

    mutating func handle(_ event: Event, at now: Double) {
        switch event {
        case .searched(let found, let isPartial): searched(found, isPartial: isPartial, at: now)
        case .written(let path): changed(path, at: now)
        case .named(let path, let isFolder):
            guard isFolder else { return changed(path, at: now) }
            // What is in it already is not noticed.
            force(beside: path)
            search(at: now + times.search)
        case .changedInside(let path): touch(FilePlace(resolved: path), at: now, settling: times.folderSettling)
        case .lost:
            // So may be the notices of files that documents name.
            for (key, document) in documents where document.dependsOnOthers { documents[key]?.isForced = true }
            search(at: now)
        case .inspected(let path, let stamp, let writers):
            inspected(FilePlace(resolved: path), stamp, writers, at: now)
        case .ended(let path, let result): ended(FilePlace(resolved: path), result, at: now)
        }
    }

    /// What to do now.
    mutating func actions(at now: Double) -> [Action] {
        var actions: [Action] = []
        if let due = searchDue, due <= now, !isSearching {
            searchDue = nil
            isSearching = true
            searchBegan = now
            actions.append(.search)
        }
        for (path, document) in documents where document.due.map({ $0 <= now }) ?? false && exportingCount == 0 {
            documents[path]?.due = nil
            actions.append(.inspect(document.input))
        }
        // Documents are exported right after a look at them, and together.
        guard exportingCount == 0, actions.isEmpty else { return actions }
        let ready = documents.filter(\.value.isReady)
            .sorted { $0.value.input.path.utf8.lexicographicallyPrecedes($1.value.input.path.utf8) }
        for (path, _) in ready.dropFirst(Self.exportMax) {
            documents[path]?.isReady = false
            documents[path]?.due = now
        }
        let first = ready.prefix(Self.exportMax)
        for (path, document) in first {
            documents[path]?.isReady = false
            documents[path]?.isForced = false
            documents[path]?.isExporting = true
            documents[path]?.settled = document.seen
        }
        exportingCount = first.count
        return first.isEmpty ? [] : [.export(first.map(\.value.input))]
    }

    // MARK: - Events

    private mutating func search(at time: Double) {
        searchDue = min(searchDue ?? .infinity, max(time, noSearchBefore))
    }

    private mutating func changed(_ path: String, at now: Double) {
        let place = FilePlace(resolved: path)
        if documents[place]?.isThere == true {
            touch(place, at: now)
        } else if isDocumentName(path) {
            search(at: now + times.search)
        } else {
            changedBeside(path, at: now)
        }
    }

    /// It is looked at when it has settled.
    private mutating func touch(_ path: FilePlace, at now: Double, settling: Double? = nil) {
        documents[path]?.isReady = false
        documents[path]?.due = now + (settling ?? times.settling)
    }

    /// A file that is no document may be a picture or preset that documents name: those in its folder or above.
    private mutating func changedBeside(_ path: String, at now: Double) {
        for key in force(beside: path) { touch(key, at: now) }
    }

    /// Marks the documents that may name a file, or files in a folder: the next search finds them, if nothing else does.
    @discardableResult private mutating func force(beside path: String) -> [FilePlace] {
        let found = documents.filter { _, document in
            let folder = document.input.folder
            return document.dependsOnOthers
                && (folder.isEmpty || path.utf8.starts(with: folder.appendingPath("").utf8))
        }
        for key in found.keys { documents[key]?.isForced = true }
        return Array(found.keys)
    }

    private mutating func searched(
        _ found: [(input: ExportInput, stamp: Stamp?)], isPartial: Bool, at now: Double
    ) {
        isSearching = false
        noSearchBefore = now + (now - searchBegan) * times.pause
        search(at: now + (isPartial ? times.partialSearch : times.anySearch))
        var there: Set<FilePlace> = []
        for (input, stamp) in found where stamp != nil {
            let path = FilePlace(resolved: input.path)
            guard there.insert(path).inserted else { continue }
            if documents[path] == nil { documents[path] = Document(input: input) }
            documents[path]?.input = input
            setThere(path, true)
            guard let document = documents[path], !document.isReady, document.due == nil else { continue }
            // One that changes while it is exported is looked at afterwards.
            if stamp != document.settled || document.isForced { documents[path]?.due = now }
        }
        for path in documents.keys where !there.contains(path) { setThere(path, false) }
        forgetGone()
    }

    private mutating func inspected(_ path: FilePlace, _ stamp: Stamp?, _ writers: FileWriters, at now: Double) {
        guard let document = documents[path] else { return }
        guard let stamp else { return setThere(path, false) }
        setThere(path, true)
        // It has been touched since it was asked for.
        guard document.due == nil else { return }
        documents[path]?.seen = stamp
        if stamp == document.settled, !document.isForced { return }
        switch writers {
        case .some: documents[path]?.due = now + times.writing
        case .unknown where stamp != document.seen: documents[path]?.due = now + times.unknownSettling
        case .unknown, .none: documents[path]?.isReady = true
        }
    }

    private mutating func ended(_ path: FilePlace, _ result: Result, at now: Double) {
        guard documents[path]?.isExporting == true else { return }
        exportingCount -= 1
        documents[path]?.isExporting = false
        documents[path]?.hasFailed = result == .failed
        switch result {
        case .done(let namesFiles): documents[path]?.namesFiles = namesFiles
        case .failed: break
        case .postponed:
            documents[path]?.settled = nil
            if documents[path]?.due == nil { documents[path]?.due = now + times.postponement }
        }
    }

    private mutating func setThere(_ path: FilePlace, _ isThere: Bool) {
        guard let document = documents[path] else { return }
        if document.isThere != isThere { goneCount += isThere ? -1 : 1 }
        documents[path]?.isThere = isThere
        if isThere { return }
        documents[path]?.isReady = false
        documents[path]?.due = nil
    }

    private mutating func forgetGone() {
        guard goneCount > Self.goneMax else { return }
        documents = documents.filter { $0.value.isThere || $0.value.isExporting }
        goneCount = documents.values.count { !$0.isThere }
    }
}
