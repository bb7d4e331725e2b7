import Glibc
public import InkEngine
public import InkProtocol
import InkSystem
import Synchronization

/// Stores projects as files named by their SHA-256, within a quota that also covers the pictures kept for clients.
///
/// Safe to share.
public final class ContentFolder: Sendable {
    /// Content requested or stored this recently is never removed as unused, because a job may be about to refer to it.
    /// Seconds.
    public static let graceSeconds = 600

    private let folder: String
    /// The most bytes of contents and reservations.
    public let quotaBytes: Int
    private let used: Mutex<Int>
    /// How often each content is held for a submission that is being prepared.
    private let holds = Mutex<[ContentID: Int]>([:])
    private var contentsFolder: String { folder + "/contents" }
    fileprivate var incomingFolder: String { folder + "/incoming" }

    /// Creates `contents` and `incoming` in `folder`, removes incomplete uploads, and measures the existing contents.
    ///
    /// - Throws: `file`.
    public init(folder: String, quotaBytes: Int) throws(StoreError) {
        self.folder = folder
        self.quotaBytes = quotaBytes
        used = Mutex(0)
        try DataFolder.makeFolder(contentsFolder)
        try DataFolder.makeFolder(incomingFolder)
        for name in DataFolder.names(in: incomingFolder) { unlink("\(incomingFolder)/\(name)") }
        var bytes = 0
        forEachContent { _, size, _ in bytes += size }
        for name in DataFolder.names(in: folder + "/pictures") {
            var status = stat()
            if stat("\(folder)/pictures/\(name)", &status) == 0 { bytes += Int(status.st_size) }
        }
        used.withLock { $0 = bytes }
    }

    /// Bytes of contents, of contents being received, and of reservations.
    public var usedBytes: Int { used.withLock { $0 } }

    /// The path of a content, whether it is there or not.
    public func path(of id: ContentID) -> String {
        let name = id.description
        return "\(contentsFolder)/\(name.prefix(2))/\(name)"
    }

    /// Whether the content exists. If so, it stays for some minutes, whether a job refers to it or not.
    public func has(_ id: ContentID, byteCount: UInt64) -> Bool {
        let path = path(of: id)
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, UInt64(status.st_size) == byteCount else {
            return false
        }
        return utimensat(AT_FDCWD, path, nil, 0) == 0
    }

    /// Starts receiving a content and reserves room for it.
    ///
    /// - Throws: `quota`, `file`.
    public func begin(_ id: ContentID, byteCount: UInt64) throws(StoreError) -> IncomingContent {
        guard let bytes = Int(exactly: byteCount) else { throw .quota(neededBytes: .max, limitBytes: quotaBytes) }
        try reserve(bytes: bytes) { used in
            // A quarter is reserved for pictures: contents can be removed only when jobs can end.
            used <= quotaBytes / 4 || used <= quotaBytes - quotaBytes / 4 - bytes
        }
        do throws(StoreError) {
            return try IncomingContent(id, byteCount: bytes, in: self)
        } catch {
            release(bytes: bytes)
            throw error
        }
    }

    /// Makes sure that a file's bytes are a content, reading it piece by piece.
    ///
    /// - Throws: `quota`, `wrongContent`, `file`.
    public func keep(file path: String, as id: ContentID) throws(StoreError) {
        let (file, count) = try StoreError.wrapping { () throws(SystemFailure) in
            let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW, operation: "open")
            return (file, try file.status().byteCount)
        }
        if has(id, byteCount: UInt64(count)) { return }
        let content = try begin(id, byteCount: UInt64(count))
        defer { content.discard() }
        for offset in stride(from: 0, to: count, by: Self.pieceBytes) {
            let piece = try StoreError.wrapping { () throws(SystemFailure) in
                try file.read(min(Self.pieceBytes, count - offset), at: offset)
            }
            try content.write(piece, at: UInt64(offset))
        }
        try content.finish()
    }

    private static let pieceBytes = 1 << 20

    /// The content's bytes, compared with its name. A file with other bytes is removed, so that the content is
    /// requested again.
    ///
    /// - Throws: `damaged`, `file`.
    public func read(_ id: ContentID) throws(StoreError) -> [UInt8] {
        let path = path(of: id)
        let (bytes, read) = try StoreError.wrapping { () throws(SystemFailure) in
            // A pipe at this path must not block the thread.
            let file = try FileDescriptor(
                opening: path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK, operation: "open")
            let status = try file.status()
            return (status.kind == .regular ? try file.read(status.byteCount, at: 0) : [], status)
        }
        if ContentID(digest: SHA256.digest(bytes)) == id { return bytes }
        drop(path, read)
        throw .damaged(path: path)
    }

    /// Removes a damaged content, unless it has been replaced by a valid one since it was read.
    private func drop(_ path: String, _ read: FileStatus) {
        // If it cannot be removed, the next reader tries again.
        guard let found = try? FileSystem.status(of: path, followingLink: false), found.identity == read.identity,
            unlink(path) == 0 || rmdir(path) == 0
        else { return }
        if read.kind == .regular { release(bytes: read.byteCount) }
    }

    /// Reserves quota for a file that is about to be kept.
    ///
    /// - Throws: `quota`.
    public func reserve(bytes: Int) throws(StoreError) { try reserve(bytes: bytes) { _ in true } }

    private func reserve(bytes: Int, where isFree: (_ used: Int) -> Bool) throws(StoreError) {
        let fits = used.withLock { used in
            guard bytes <= quotaBytes, used <= quotaBytes - bytes, isFree(used) else { return false }
            used += bytes
            return true
        }
        guard fits else { throw .quota(neededBytes: bytes, limitBytes: quotaBytes) }
    }

    /// Gives a reservation back.
    public func release(bytes: Int) { used.withLock { $0 = max(0, $0 - bytes) } }

    /// Whether the quota is almost used up.
    public var isNearlyFull: Bool { used.withLock { $0 > quotaBytes - quotaBytes / 10 } }

    /// Keeps a content from being removed as unused until `release`.
    public func hold(_ id: ContentID) { holds.withLock { $0[id, default: 0] += 1 } }

    /// Ends a `hold` of the content.
    public func release(_ id: ContentID) {
        holds.withLock { holds in
            let count = (holds[id] ?? 0) - 1
            holds[id] = count > 0 ? count : nil
        }
    }

    /// To be asked before the store is asked which contents it needs: a content is held until a job refers to it.
    public var held: Set<ContentID> { holds.withLock { Set($0.keys) } }

    /// Removes contents that are not in `needed` and have not been used for this long. Returns their number.
    public func collectGarbage(keeping needed: Set<ContentID>, unusedSeconds: Int = graceSeconds) -> Int {
        let now = Int(SystemClock.unixMilliseconds / 1000)
        let names = Set(needed.map(\.description))
        var removed = 0
        forEachContent { path, size, modified in
            guard !names.contains(path.splitPath().name), now - modified > unusedSeconds, unlink(path) == 0
            else { return }
            release(bytes: size)
            removed += 1
        }
        return removed
    }

    private func forEachContent(_ body: (_ path: String, _ size: Int, _ modified: Int) -> Void) {
        for shelf in DataFolder.names(in: contentsFolder) {
            for name in DataFolder.names(in: "\(contentsFolder)/\(shelf)") {
                let path = "\(contentsFolder)/\(shelf)/\(name)"
                var status = stat()
                if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                    body(path, Int(status.st_size), status.st_mtim.tv_sec)
                }
            }
        }
    }
}

/// A content being received, under a temporary name until it is complete. Used by one thread at a time.
public final class IncomingContent: Sendable {
    private let id: ContentID
    private let byteCount: Int
    private let contents: ContentFolder
    private let temporary: String
    private let state: Mutex<State>

    private struct State {
        /// nil after the end.
        var file: FileDescriptor?
        var written = 0
        var hash: Hash
    }

    /// The hash is accessed only under the lock.
    private struct Hash: @unchecked Sendable {
        let stream: SHA256
    }

    fileprivate init(_ id: ContentID, byteCount: Int, in contents: ContentFolder) throws(StoreError) {
        self.id = id
        self.byteCount = byteCount
        self.contents = contents
        let temporary = "\(contents.incomingFolder)/\(id).\(SubmissionKey.random())"
        self.temporary = temporary
        // The folder may have been removed since the start.
        try DataFolder.makeFolder(contents.incomingFolder)
        let file = try StoreError.wrapping { () throws(SystemFailure) in
            try FileDescriptor(
                opening: temporary, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, operation: "create")
        }
        state = Mutex(State(file: file, hash: Hash(stream: SHA256())))
    }

    deinit { discard() }

    /// Appends bytes, which must follow the previous ones.
    ///
    /// - Throws: `file`.
    public func write(_ bytes: [UInt8], at offset: UInt64) throws(StoreError) {
        let result: Result<Void, SystemFailure> = state.withLock { state in
            guard let file = state.file, offset == UInt64(state.written), bytes.count <= byteCount - state.written
            else { return .failure(SystemFailure(operation: "write", errno: EINVAL, path: temporary)) }
            // Written at its offset, because an earlier failed write may have left some bytes.
            do throws(SystemFailure) { try file.write(bytes, at: state.written) } catch { return .failure(error) }
            state.written += bytes.count
            state.hash.stream.update(bytes)
            return .success(())
        }
        try StoreError.wrapping { () throws(SystemFailure) in try result.get() }
    }

    /// Checks size and hash, syncs the file, renames it and syncs the folder.
    ///
    /// - Throws: `wrongContent`, `file`; the content is then discarded.
    public func finish() throws(StoreError) {
        guard let closed = close() else { throw .file(path: temporary, operation: "finish", errno: EBADF) }
        do throws(StoreError) {
            try closed.get()
            let target = contents.path(of: id)
            let shelf = target.splitPath().folder
            try DataFolder.makeFolder(shelf)
            var status = stat()
            let isThere = lstat(target, &status) == 0
            // An empty folder does no harm, whoever made it.
            let isFolder = isThere && status.st_mode & S_IFMT == S_IFDIR
            let replacedBytes = isThere && !isFolder ? Int(status.st_size) : 0
            if isFolder { rmdir(target) }
            guard rename(temporary, target) == 0 else {
                throw .file(path: target, operation: "rename to", errno: errno)
            }
            contents.release(bytes: replacedBytes)
            try StoreError.wrapping { () throws(SystemFailure) in try FileSystem.syncFolder(shelf) }
        } catch {
            unlink(temporary)
            contents.release(bytes: byteCount)
            throw error
        }
    }

    /// Nil if it has already ended.
    private func close() -> Result<Void, StoreError>? {
        state.withLock { state in
            guard let file = state.file else { return nil }
            state.file = nil
            let found = ContentID(digest: state.hash.stream.finish())
            guard state.written == byteCount, found == id else {
                return .failure(.wrongContent(found: found, expected: id))
            }
            do throws(SystemFailure) { try file.sync() } catch {
                return .failure(.file(path: error.place, operation: error.operation, errno: error.errno))
            }
            return .success(())
        }
    }

    /// Discards the content; does nothing after `finish`.
    public func discard() {
        let wasOpen = state.withLock { state in
            defer { state.file = nil }
            return state.file != nil
        }
        guard wasOpen else { return }
        unlink(temporary)
        contents.release(bytes: byteCount)
    }
}
