import Glibc
import InkSystem

/// Tells versions of a document apart without reading it: files, sizes and times of change.
struct DocumentStamp: Hashable, Sendable {
    private struct File: Hashable, Sendable {
        var path: [UInt8]
        var identity: FileStatus.Identity
        var byteCount: Int
        var modifiedAt: Int64
        /// A file that could not be read may be readable now.
        var mode: UInt32

        init(_ path: String, _ status: FileStatus) {
            self.path = Array(path.utf8)
            (identity, byteCount) = (status.identity, status.byteCount)
            (modifiedAt, mode) = (status.modifiedAt, status.mode)
        }
    }

    /// Bounds of what counts in a folder that is a document: so many files, and those so deep in it.
    private static let filesMax = 10_000
    private static let depthMax = 4
    /// A file system does not tell apart changes that follow each other so soon, nanoseconds.
    private static let clockTick: Int64 = 100_000_000

    private var files: [File] = []

    /// The stamp of a document; nil if it is not there, or cannot be looked at.
    init?(of input: ExportInput) {
        self.init(input) { _, _ in }
    }

    /// - Parameter onFile: gets each file's path and status.
    private init?(_ input: ExportInput, onFile: (String, FileStatus) -> Void) {
        // What cannot be looked at now gives another stamp when it can.
        guard let status = (try? FileSystem.status(of: input.path)) ?? nil else { return nil }
        add(input.path, status, depth: 0, onFile)
    }

    private mutating func add(
        _ path: String, _ status: FileStatus, depth: Int, _ onFile: (String, FileStatus) -> Void
    ) {
        guard files.count < Self.filesMax else { return }
        guard status.isFolder else {
            files.append(File(path, status))
            onFile(path, status)
            return
        }
        guard depth < Self.depthMax else { return }
        // What cannot be looked at is not a part of the stamp; it fails when it is read.
        for name in (try? FileSystem.names(in: path)) ?? [] {
            guard let name = String(validating: name, as: UTF8.self), !name.hasPrefix(".") else { continue }
            let inner = path.appendingPath(name)
            // One that has just disappeared is not a part either.
            if let status = (try? FileSystem.status(of: inner)) ?? nil { add(inner, status, depth: depth + 1, onFile) }
        }
    }

    /// The stamp of a document, and whether somebody writes to it.
    static func look(at input: ExportInput) -> (stamp: DocumentStamp?, writers: FileWriters) {
        var writers = FileWriters.none
        let now = wallClock
        let stamp = DocumentStamp(input) { path, status in
            guard writers != .some, status.kind == .regular else { return }
            // A file that cannot be opened fails when it is read.
            let file = try? FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK, operation: "open")
            switch file?.writers() ?? .unknown {
            case .some: writers = .some
            case .unknown: writers = .unknown
            // A later change might give the same stamp.
            case .none: if abs(now - status.modifiedAt) < clockTick { writers = .some }
            }
        }
        return (stamp, writers)
    }

    /// Nanoseconds since 1970, as of files.
    private static var wallClock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
