import InkEngine
import InkProtocol

/// Pictures to be fetched, and pictures that arrive while they are rendered.
struct FetchTable {
    struct Fetch {
        let job: JobNumber
        /// nil while the job is running and its picture is already arriving.
        var picture: PictureReport?
        let path: String
        let format: PictureFormat
        /// Whether some of it may belong to an earlier rendering of the picture, which may differ.
        var isEarly = false
        /// Bytes that have arrived in order; that are in the file; that have been requested.
        var received: UInt64 = 0
        var written: UInt64 = 0
        var requested: UInt64 = 0
        var repeatAt: Int64 = 0
        var tries = 0
        /// Everything has arrived, and the file is being synced and renamed.
        var isFinishing = false
    }

    private var fetches: [FetchID: Fetch] = [:]
    private var waiting: [FetchID] = []
    /// Those with a file; few.
    private(set) var opened: [FetchID] = []
    private var lastID: FetchID = 0

    subscript(_ id: FetchID) -> Fetch? {
        get { fetches[id] }
        set { fetches[id] = newValue }
    }

    mutating func add(_ fetch: Fetch) {
        lastID += 1
        fetches[lastID] = fetch
        waiting.append(lastID)
    }

    /// Starts with a picture that is being rendered, unless the limit is reached or the job already has a fetch.
    mutating func follow(_ job: JobNumber, to path: String, _ format: PictureFormat, limit: Int) -> FetchID? {
        let followed = opened.count { fetches[$0]?.picture == nil }
        guard followed < limit, !fetches.values.contains(where: { $0.job == job }) else { return nil }
        lastID += 1
        fetches[lastID] = Fetch(job: job, path: path, format: format, isEarly: true)
        opened.append(lastID)
        return lastID
    }

    mutating func remove(_ id: FetchID) -> Fetch? {
        opened.removeAll { $0 == id }
        waiting.removeAll { $0 == id }
        return fetches.removeValue(forKey: id)
    }

    mutating func removeAll() -> [Fetch] {
        let all = (opened + waiting).compactMap { fetches[$0] }
        fetches = [:]
        opened = []
        waiting = []
        return all
    }

    /// The next fetch that may start. The parts of a picture go into one file.
    mutating func openNext(limit: Int) -> FetchID? {
        guard opened.count(where: { fetches[$0]?.picture != nil }) < limit else { return nil }
        let busy = Set(opened.compactMap { fetches[$0]?.job })
        guard let index = waiting.firstIndex(where: { fetches[$0].map { !busy.contains($0.job) } ?? false }) else {
            return nil
        }
        let id = waiting.remove(at: index)
        opened.append(id)
        return id
    }

    func opened(of job: JobNumber) -> FetchID? { opened.first { fetches[$0]?.job == job } }

    /// When to request a piece again.
    var nextTime: Int64? {
        opened.compactMap { id in
            guard let fetch = fetches[id], fetch.isStalled else { return nil }
            return fetch.repeatAt
        }.min()
    }
}

extension FetchTable.Fetch {
    /// Whether the client waits for the broker. (If the disk is slow, the broker is not to blame.)
    var isStalled: Bool { !isFinishing && received == written && received < requested }

    /// nil while it is unknown.
    var byteCount: UInt64? { picture.map { UInt64($0.byteCount) } }

    /// The end of requests; for a picture of unknown size, one window at a time.
    var requestEnd: UInt64 { byteCount ?? received + 1 }

    var isWhole: Bool { received == byteCount }
}

extension ClientState {
    /// Starts to fetch a running job's picture; `fetch` takes the rest.
    mutating func follow(_ job: JobNumber, to path: String, _ format: PictureFormat, now: Int64) {
        guard isServing, let id = fetches.follow(job, to: path, format, limit: rules.followedPictures) else { return }
        actions.append(.open(id, path: path, format: format))
        ask(id, now: now)
    }

    mutating func fetch(
        _ job: JobNumber, _ picture: PictureReport, to path: String, _ format: PictureFormat, now: Int64
    ) {
        guard picture.byteCount > 0 else {
            unfollow(job)
            actions.append(.emit(.fetchFailed(job, .badPicture(reason: "it has no bytes"))))
            return
        }
        if let id = fetches.opened(of: job), var fetch = fetches[id], fetch.picture == nil {
            let byteCount = UInt64(picture.byteCount)
            if fetch.path == path, fetch.received <= byteCount {
                fetch.picture = picture
                fetch.requested = min(fetch.requested, byteCount)
                fetch.tries = 0
                fetch.repeatAt = now + rules.fetchRepeatTime
                fetches[id] = fetch
                return finishIfWhole(id) ? () : ask(id, now: now)
            }
            unfollow(job)
        }
        fetches.add(FetchTable.Fetch(job: job, picture: picture, path: path, format: format))
        openFetches(now: now)
    }

    /// Discards the received part of a picture that will not be finished.
    mutating func unfollow(_ job: JobNumber) {
        guard let id = fetches.opened(of: job), let fetch = fetches[id], fetch.picture == nil else { return }
        actions.append(.discard(id))
        _ = fetches.remove(id)
    }

    /// Whether everything has arrived.
    private mutating func finishIfWhole(_ id: FetchID) -> Bool {
        guard let fetch = fetches[id], fetch.isWhole, let picture = fetch.picture else { return false }
        fetches[id]?.isFinishing = true
        actions.append(.finish(id, picture, of: fetch.job))
        return true
    }

    private mutating func openFetches(now: Int64) {
        guard phase != .stopped else { return }
        while let id = fetches.openNext(limit: rules.fetchesInFlight), let fetch = fetches[id] {
            actions.append(.open(id, path: fetch.path, format: fetch.format))
            ask(id, now: now)
        }
    }

    /// Requests as much as may be in flight.
    private mutating func ask(_ id: FetchID, now: Int64) {
        guard isServing, var fetch = fetches[id], !fetch.isFinishing else { return }
        let window = ProtocolLimits.transferWindowBytes
        let ahead = window * (rules.fetchWindows - 1)
        while fetch.requested < fetch.requestEnd, fetch.requested - fetch.written <= ahead {
            send(.pictureRequest(fetch.job, offset: fetch.requested))
            fetch.requested = min(fetch.byteCount ?? .max, fetch.requested + window)
            fetch.repeatAt = now + ClientRules.doubled(rules.fetchRepeatTime, fetch.tries)
        }
        fetches[id] = fetch
    }

    /// A session has started; requests of an earlier one are not answered.
    mutating func sendFetches(now: Int64) {
        for id in fetches.opened { askAgain(id, now: now) }
    }

    private mutating func askAgain(_ id: FetchID, now: Int64) {
        guard let received = fetches[id]?.received else { return }
        fetches[id]?.requested = received
        ask(id, now: now)
    }

    mutating func repeatFetches(now: Int64) {
        for id in fetches.opened {
            guard let fetch = fetches[id], fetch.isStalled, fetch.repeatAt <= now else { continue }
            fetches[id]?.tries += 1
            askAgain(id, now: now)
        }
    }

    /// Only the next requested bytes are accepted; the rest will be requested again.
    mutating func take(_ part: PicturePart, now: Int64) {
        guard let id = fetches.opened(of: part.job), var fetch = fetches[id], !fetch.isFinishing else { return }
        if let total = part.totalBytes, let byteCount = fetch.byteCount, total != byteCount {
            actions.append(.discard(id))
            return fail(id, .damagedPicture(part.job), now: now)
        }
        // Data requested again may arrive in different pieces.
        guard part.offset <= fetch.received else { return }
        let known = fetch.received - part.offset
        guard known < UInt64(part.bytes.count), UInt64(part.bytes.count) - known <= fetch.requested - fetch.received
        else { return }
        let bytes = known == 0 ? part.bytes : Array(part.bytes[Int(known)...])
        fetch.received += UInt64(bytes.count)
        fetch.tries = 0
        fetch.repeatAt = now + rules.fetchRepeatTime
        fetches[id] = fetch
        actions.append(.write(id, bytes))
        _ = finishIfWhole(id)
    }

    mutating func written(_ id: FetchID, _ byteCount: Int, now: Int64) {
        guard fetches[id] != nil else { return }
        fetches[id]?.written += UInt64(byteCount)
        // Time spent by the disk does not count against the broker.
        fetches[id]?.repeatAt = now + rules.fetchRepeatTime
        ask(id, now: now)
    }

    mutating func stored(_ id: FetchID, _ folderBytes: Int?, now: Int64) {
        guard let fetch = fetches.remove(id) else { return }
        actions.append(.emit(.fetched(fetch.job, path: fetch.path, folderBytes: folderBytes)))
        openFetches(now: now)
    }

    mutating func pictureMissing(_ job: JobNumber, _ reason: String, now: Int64) {
        guard let id = fetches.opened(of: job), fetches[id]?.isFinishing == false else { return }
        actions.append(.discard(id))
        fail(id, .pictureMissing(job, reason: reason), now: now)
    }

    /// Ends the fetch of a picture whose file is gone or about to be discarded. If part of it arrived early, fetches it
    /// again.
    mutating func fail(_ id: FetchID, _ error: ClientError, now: Int64) {
        guard let fetch = fetches.remove(id) else { return }
        defer { openFetches(now: now) }
        // The job's end is still to be reported; the damage is reported when the picture is fetched.
        guard let picture = fetch.picture else { return }
        if fetch.isEarly, error.isOfPicture {
            fetches.add(
                FetchTable.Fetch(job: fetch.job, picture: picture, path: fetch.path, format: fetch.format))
        } else {
            actions.append(.emit(.fetchFailed(fetch.job, error)))
        }
    }
}

extension ClientError {
    /// Whether the broker's bytes are to blame.
    fileprivate var isOfPicture: Bool {
        switch self {
        case .badPicture, .damagedPicture, .pictureMissing: true
        default: false
        }
    }
}
