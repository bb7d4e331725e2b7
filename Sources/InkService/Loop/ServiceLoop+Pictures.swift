import Glibc
import InkBroker
import InkSystem
import InkProtocol
import InkStore

/// Pictures that clients fetch, of finished and of running jobs.
extension ServiceLoop {
    func fetch(_ job: JobNumber, _ offset: UInt64, _ session: SessionID) {
        guard let peer = peers[session] else { return }
        let (end, isBeyond) = offset.addingReportingOverflow(ProtocolLimits.transferWindowBytes)
        let open = peer.downloads.filter { $0.job == job } + (peer.reading.map { $0.job == job ? [$0] : [] } ?? [])
        // Data in flight is not sent twice just because the line is slow.
        guard
            let range = Self.uncovered(
                offset..<(isBeyond ? .max : end), by: open.map(\.range) + (peer.followed[job] ?? []),
                underWay: UInt64(peer.line.bytesUnderWay))
        else { return }
        let download = ClientPeer.Download(job: job, range: range)
        guard peer.openWindows < ClientPeer.downloadsMax else {
            refuse(session, "it asks for too much at once")
            return
        }
        if let run = runs[job], run.isFetched {
            peers[session]?.followed[job, default: []].append(range)
            continueDownload(of: job, session)
        } else {
            peers[session]?.downloads.append(download)
            readNext(session)
        }
    }

    /// The rest of a window after the part that other open windows cover is removed from its start; nil if nothing is
    /// left.
    ///
    /// - Parameter underWay: bytes before the open windows that have been sent but not acknowledged.
    static func uncovered(_ window: Range<UInt64>, by open: [Range<UInt64>], underWay: UInt64) -> Range<UInt64>? {
        var start = window.lowerBound
        var slack = underWay
        while let next = open.first(where: {
            $0.upperBound > start && $0.lowerBound - min($0.lowerBound, start) <= slack
        }) {
            start = next.upperBound
            slack = 0
        }
        return start < window.upperBound ? start..<window.upperBound : nil
    }

    /// Sends clients the requested data of an unfinished picture that now exists.
    func continueDownloads(of job: JobNumber) {
        for id in peers.keys.sorted() { continueDownload(of: job, id) }
    }

    private func continueDownload(of job: JobNumber, _ session: SessionID) {
        guard let picture = runs[job]?.picture, let peer = peers[session], var ranges = peer.followed[job],
            let index = ranges.firstIndex(where: { $0.lowerBound < UInt64(picture.byteCount) }),
            // Everything written until the first read is sent together.
            !peer.downloads.contains(where: { $0.job == job }), peer.reading?.job != job
        else { return }
        let range = ranges.remove(at: index)
        let end = min(range.upperBound, UInt64(picture.byteCount))
        if end < range.upperBound { ranges.insert(end..<range.upperBound, at: index) }
        peers[session]?.followed[job] = ranges.isEmpty ? nil : ranges
        peers[session]?.downloads.append(
            ClientPeer.Download(job: job, range: range.lowerBound..<end, unfinished: picture.path))
        readNext(session)
    }

    /// Sends the rest of a finished picture. If there is no picture, or it is started again, reports it as missing.
    func endFollowing(_ job: JobNumber, _ end: ExportEnd) {
        for id in peers.keys.sorted() {
            guard let ranges = peers[id]?.followed.removeValue(forKey: job) else { continue }
            guard case .ended(.finished(let picture)) = end else {
                send(.pictureMissing(job, reason: "it is not finished"), to: id)
                continue
            }
            for range in ranges where range.lowerBound < UInt64(picture.byteCount) {
                peers[id]?.downloads.append(ClientPeer.Download(job: job, range: range))
            }
            readNext(id)
        }
    }

    /// Reads the next piece, one at a time for each client, and only as much as the line takes now. Over a slow line,
    /// requests wait instead of data.
    func readNext(_ session: SessionID) {
        guard let peer = peers[session], peer.reading == nil, peer.unsent.isEmpty, peer.answers.isEmpty,
            let next = peer.downloads.first
        else { return }
        let partBytes = min(ProtocolLimits.transferPartBytes, peer.line.partBytes)
        guard peers[session]?.line.hasRoom(for: partBytes, now: SystemClock.milliseconds) == true else { return }
        let room = queues.room(for: peer.queued, count: max(partBytes, peer.line.room))
        guard room > 0 else { return }
        peers[session]?.downloads.removeFirst()
        peers[session]?.reading = next
        peers[session]?.readingBytes = room
        peer.queued.add(room)
        let (path, mailbox) = (PictureFolder.path(of: next.job, in: parts.data), mailbox)
        fetching.run {
            let (messages, rest) = Self.read(next, of: path, room: room, partBytes: min(room, partBytes))
            mailbox.post(.read(session, messages, rest: rest))
        }
    }

    /// Sends data that was read from a picture.
    func take(_ messages: [ServiceMessage], rest: ClientPeer.Download?, _ session: SessionID) {
        guard let peer = peers[session], let job = peer.reading?.job else { return }
        peer.queued.remove(peer.readingBytes)
        peers[session]?.readingBytes = 0
        peers[session]?.reading = nil
        if let rest { peers[session]?.downloads.insert(rest, at: 0) }
        // Data that cannot be read now is tried again with the next tick.
        guard !messages.isEmpty else { return }
        for message in messages {
            if case .picturePart(let part) = message {
                peers[session]?.line.send(part.bytes.count, now: SystemClock.milliseconds)
            }
            send(message, to: session)
        }
        continueDownload(of: job, session)
        readNext(session)
    }

    /// Reads at most `room` bytes. Returns the messages to send and the rest of the request.
    private static func read(
        _ download: ClientPeer.Download, of path: String, room: Int, partBytes: Int
    ) -> (messages: [ServiceMessage], rest: ClientPeer.Download?) {
        func missing(_ reason: String) -> ([ServiceMessage], ClientPeer.Download?) {
            ([.pictureMissing(download.job, reason: reason)], nil)
        }
        /// nil if it does not exist.
        func open(_ path: String) throws(SystemFailure) -> FileDescriptor? {
            do throws(SystemFailure) {
                return try FileDescriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW, operation: "open")
            } catch {
                guard error.errno == ENOENT || error.errno == ELOOP else { throw error }
                return nil
            }
        }
        let (file, total): (FileDescriptor, Int)
        do throws(SystemFailure) {
            // It may have been finished in the meantime.
            var found: FileDescriptor?
            if let unfinished = download.unfinished { found = try open(unfinished) }
            if found == nil { found = try open(path) }
            guard let found else { return missing("the broker does not keep a picture of this job") }
            (file, total) = (found, try found.status().byteCount)
        } catch {
            // No descriptor or memory at the moment; it is tried again.
            if [EMFILE, ENFILE, ENOMEM].contains(error.errno) { return ([], download) }
            return missing("the picture cannot be read: \(error)")
        }
        guard let offset = Int(exactly: download.range.lowerBound), offset < total else {
            return missing("the picture has no byte \(download.range.lowerBound)")
        }
        let end = min(total, Int(clamping: download.range.upperBound))
        var messages: [ServiceMessage] = []
        var position = offset
        while position < end, position == offset || position - offset + partBytes <= room {
            // The answer says that it cannot be had, which ends the fetch.
            guard let bytes = try? file.read(min(partBytes, end - position), at: position) else {
                return missing("the picture cannot be read")
            }
            messages.append(
                .picturePart(
                    PicturePart(
                        job: download.job, offset: UInt64(position),
                        totalBytes: download.unfinished == nil ? UInt64(total) : nil, bytes: bytes)))
            position += bytes.count
        }
        guard position < end else { return (messages, nil) }
        var rest = download
        rest.range = UInt64(position)..<download.range.upperBound
        return (messages, rest)
    }
}
