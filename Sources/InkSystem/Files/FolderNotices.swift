import CSystem
import Glibc

/// What the kernel reports about a watched folder.
package struct FolderNotice: Hashable, Sendable {
    /// What has happened.
    package enum Kind: Hashable, Sendable {
        /// A file has been closed by a process that could write it.
        case written
        /// A name has appeared, disappeared, or now belongs to another file.
        case named
        /// The folder itself has been moved, removed or unmounted.
        case folderGone
        /// Notices have been lost, because they were not read in time. Belongs to no folder.
        case overflow
    }

    package var kind: Kind
    /// The number that `FolderNotices.watch` gave; -1 with `overflow`.
    package var watch: Int32
    /// The name in the folder; nil if it is not UTF-8 or if the notice is about the folder.
    package var name: String?
    /// Whether the name is a folder's.
    package var isFolder: Bool
}

/// Notices of changes in folders, from inotify. Used by one thread, except `wake`.
package final class FolderNotices: Sendable {
    private static let events =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    private static let bufferBytes = 1 << 16

    private let notices: FileDescriptor
    private let waking: FileDescriptor

    /// - Throws: `EMFILE` if the user has too many inotify instances or open files.
    package init() throws(SystemFailure) {
        notices = try FileDescriptor(owning: inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)), operation: "watch")
        waking = try FileDescriptor(owning: eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)), operation: "watch")
    }

    /// Watches the names and files of a folder, but not of folders inside. A second call for one folder returns the same
    /// number.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` without such a folder, `ENOSPC` if the user has too many watches.
    package func watch(_ folder: String) throws(SystemFailure) -> Int32 {
        let watch = inotify_add_watch(notices.rawValue, folder.isEmpty ? "." : folder, Self.events)
        guard watch >= 0 else { throw SystemFailure(operation: "watch", errno: errno, path: folder) }
        return watch
    }

    /// Ends a watch. One that the kernel has ended already is ignored.
    package func unwatch(_ watch: Int32) { inotify_rm_watch(notices.rawValue, watch) }

    /// Ends the wait of `read` from any thread.
    package func wake() {
        var one: UInt64 = 1
        // A counter that is full wakes too.
        _ = Glibc.write(waking.rawValue, &one, 8)
    }

    /// The waiting notices, in order; empty if none arrives within `milliseconds`, or after `wake`.
    package func read(waitingAtMost milliseconds: Int) -> [FolderNotice] {
        var polls = [notices, waking].map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
        _ = poll(&polls, nfds_t(polls.count), Int32(clamping: milliseconds))
        var count: UInt64 = 0
        if polls[1].revents != 0 { _ = Glibc.read(waking.rawValue, &count, 8) }
        var found: [FolderNotice] = []
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        // Fails with EAGAIN when no more are waiting.
        while let byteCount = try? notices.read(into: &buffer), byteCount > 0 {
            Self.parse(buffer[..<byteCount], into: &found)
        }
        return found
    }

    /// Reads `struct inotify_event`s of inotify(7), which the kernel writes whole.
    private static func parse(_ bytes: ArraySlice<UInt8>, into found: inout [FolderNotice]) {
        let headBytes = 16
        var rest = bytes
        while rest.count >= headBytes {
            func word(_ index: Int) -> UInt32 {
                (0..<4).reduce(0) { $0 | UInt32(rest[rest.startIndex + index * 4 + $1]) << (8 * UInt32($1)) }
            }
            let (watch, mask, nameBytes) = (Int32(bitPattern: word(0)), word(1), Int(word(3)))
            guard rest.count >= headBytes + nameBytes else { return }
            let name = rest.dropFirst(headBytes).prefix(nameBytes).prefix { $0 != 0 }
            rest = rest.dropFirst(headBytes + nameBytes)
            func has(_ event: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: event) != 0 }
            // The end of a watch, which is either asked for or told as `folderGone` before.
            if has(IN_IGNORED) { continue }
            let kind: FolderNotice.Kind =
                has(IN_Q_OVERFLOW)
                ? .overflow
                : has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT)
                    ? .folderGone : has(IN_CLOSE_WRITE) ? .written : .named
            found.append(
                FolderNotice(
                    kind: kind, watch: watch,
                    name: name.isEmpty ? nil : String(validating: name, as: UTF8.self), isFolder: has(IN_ISDIR)))
        }
    }
}

/// Whether somebody writes to a file at this moment.
package enum FileWriters: Hashable, Sendable {
    case none, some
    /// The system does not say: the file belongs to another user, or its file system has no leases.
    case unknown
}

extension FileDescriptor {
    /// Whether any process has the file open for writing. This one must not, and the file must be open for reading.
    ///
    /// The kernel grants a lease for reading only without writers (fcntl(2)). It is given back at once; a process that
    /// opens the file meanwhile waits for that. The signal of that wait must be ignored: see `ignoreLeaseSignals`.
    package func writers() -> FileWriters {
        guard ink_set_lease(rawValue, Int32(F_RDLCK)) == 0 else {
            return errno == EAGAIN || errno == EWOULDBLOCK ? .some : .unknown
        }
        _ = ink_set_lease(rawValue, Int32(F_UNLCK))
        return .none
    }

    /// Call this before `writers`: the signal would end the process.
    package static func ignoreLeaseSignals() { signal(SIGIO, SIG_IGN) }
}
