import InkEngine
import InkProtocol
import InkSystem

/// File operations of the client, on separate threads because disks may be slow: one thread reads contents, another
/// writes pictures. Results are reported in the order of the requests.
final class FileLanes: Sendable {
    private let reading: Lane
    private let writing: Lane
    private let downloads = Downloads()
    private let replacesFiles: Bool
    private let onRead: @Sendable (ContentRead) -> Void
    private let onEvent: @Sendable (ClientEvent) -> Void

    /// Used only by the writing lane.
    private final class Downloads: @unchecked Sendable {
        var byID: [FetchID: PictureDownload] = [:]
    }

    init(
        replacesFiles: Bool, onRead: @escaping @Sendable (ContentRead) -> Void,
        onEvent: @escaping @Sendable (ClientEvent) -> Void
    ) throws(SystemFailure) {
        reading = try Lane("client-read")
        writing = try Lane("client-write")
        self.replacesFiles = replacesFiles
        self.onRead = onRead
        self.onEvent = onEvent
    }

    func read(_ id: ContentID, _ source: ContentSource, serial: UInt64, offset: UInt64, byteCount: Int) {
        reading.run { [onRead] in
            let result = source.read(offset: offset, byteCount: byteCount)
            onRead(ContentRead(id: id, serial: serial, offset: offset, byteCount: byteCount, result: result))
        }
    }

    func open(_ id: FetchID, path: String, _ format: PictureFormat) {
        perform(id) { [replacesFiles] downloads throws(ClientError) in
            downloads.byID[id] = try PictureDownload(to: path, as: format, replaces: replacesFiles)
            return nil
        }
    }

    func write(_ id: FetchID, _ bytes: [UInt8]) {
        perform(id) { downloads throws(ClientError) in
            // A failed download has been reported.
            guard let download = downloads.byID[id] else { return nil }
            try download.write(bytes)
            return .written(id, byteCount: bytes.count)
        }
    }

    func finish(_ id: FetchID, _ picture: PictureReport, of job: JobNumber) {
        perform(id) { downloads throws(ClientError) in
            guard let download = downloads.byID.removeValue(forKey: id) else { return nil }
            return .stored(id, folderBytes: try download.finish(picture, of: job))
        }
    }

    func discard(_ id: FetchID) {
        writing.run { [downloads] in downloads.byID.removeValue(forKey: id)?.discard() }
    }

    /// Waits until all requests are done, and removes unfinished files.
    func close() {
        reading.wait()
        writing.run { [downloads] in
            for download in downloads.byID.values { download.discard() }
            downloads.byID = [:]
        }
        writing.wait()
    }

    private func perform(
        _ id: FetchID, _ work: @escaping @Sendable (Downloads) throws(ClientError) -> ClientEvent?
    ) {
        writing.run { [downloads, onEvent] in
            do throws(ClientError) {
                if let event = try work(downloads) { onEvent(event) }
            } catch {
                downloads.byID.removeValue(forKey: id)?.discard()
                onEvent(.fileFailed(id, error))
            }
        }
    }
}
