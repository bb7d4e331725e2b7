import Dispatch
import Glibc
import InkBroker
import InkSystem
import InkProtocol
import InkStore

/// Pictures that clients fetch, of finished jobs and of those that are being made.
extension ServiceLoop {
    func fetch(_ job: JobNumber, _ offset: UInt64, _ session: SessionID) {
        guard let peer = peers[session] else { return }
        let (end, isBeyond) = offset.addingReportingOverflow(ProtocolLimits.transferWindowBytes)
        let range = offset..<(isBeyond ? .max : end)
        let download = ClientPeer.Download(job: job, range: range)
        guard !peer.downloads.contains(download) else { return }
        guard peer.followed[job]?.contains(range) != true else { return }
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

    /// Sends clients what they have asked for of an unfinished picture and is there now.
    func continueDownloads(of job: JobNumber) {
        for id in peers.keys.sorted() { continueDownload(of: job, id) }
    }

    private func continueDownload(of job: JobNumber, _ session: SessionID) {
        guard let picture = runs[job]?.picture, let peer = peers[session], var ranges = peer.followed[job],
            let index = ranges.firstIndex(where: { $0.lowerBound < UInt64(picture.byteCount) }),
            // What is written until one has been read goes together.
            !peer.downloads.contains(where: { $0.job == job })
        else { return }
        let range = ranges.remove(at: index)
        let end = min(range.upperBound, UInt64(picture.byteCount))
        if end < range.upperBound { ranges.insert(end..<range.upperBound, at: index) }
        peers[session]?.followed[job] = ranges.isEmpty ? nil : ranges
        peers[session]?.downloads.append(
            ClientPeer.Download(job: job, range: range.lowerBound..<end, unfinished: picture.path))
        readNext(session)
    }

    /// The rest of a picture that is finished; of one that is not, or is begun anew, that it is not there.
    func endFollowing(_ job: JobNumber, _ end: ExportEnd) {
        for id in peers.keys.sorted() {
            guard let ranges = peers[id]?.followed.removeValue(forKey: job) else { continue }
            guard case .ended(.finished(let picture)) = end else {
                send(.pictureMissing(job, reason: "it is not finished"), to: id)
                continue
            }
            for range in ranges where range.lowerBound < picture.byteCount {
                peers[id]?.downloads.append(ClientPeer.Download(job: job, range: range))
            }
            readNext(id)
        }
    }

    /// Reads the next window, one at a time for each client, and only when the last one has gone: over a slow line, what is
    /// asked for waits as a question, not as bytes.
    func readNext(_ session: SessionID) {
        guard let peer = peers[session], !peer.isReading, peer.unsent.isEmpty, let next = peer.downloads.first else {
            return
        }
        peers[session]?.downloads.removeFirst()
        peers[session]?.isReading = true
        let (path, mailbox) = (PictureFolder.path(of: next.job, in: parts.data), mailbox)
        fetching.async {
            mailbox.post(.read(session, Self.window(of: path, next)))
        }
    }

    private static func window(of path: String, _ download: ClientPeer.Download) -> [ServiceMessage] {
        func missing(_ reason: String) -> [ServiceMessage] { [.pictureMissing(download.job, reason: reason)] }
        func open(_ path: String) -> FileDescriptor? {
            try? FileDescriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW, operation: "open")
        }
        // It may have been finished since.
        guard let file = download.unfinished.flatMap(open) ?? open(path) else {
            return missing("the broker keeps no picture of this job (any more)")
        }
        guard let total = (try? file.status())?.byteCount,
            let offset = Int(exactly: download.range.lowerBound), offset < total
        else { return missing("the picture has no byte \(download.range.lowerBound)") }
        let end = min(total, Int(clamping: download.range.upperBound))
        var messages: [ServiceMessage] = []
        var position = offset
        while position < end {
            let count = min(ProtocolLimits.transferPartBytes, end - position)
            guard let bytes = try? file.read(count, at: position) else {
                return missing("the picture cannot be read")
            }
            messages.append(
                .picturePart(
                    PicturePart(
                        job: download.job, offset: UInt64(position),
                        totalBytes: download.unfinished == nil ? UInt64(total) : nil, bytes: bytes)))
            position += bytes.count
        }
        return messages
    }
}
