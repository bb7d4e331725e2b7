import Glibc
import InkProtocol
import InkSystem
import Synchronization

/// The folder in which a broker keeps everything that survives it; one broker at a time.
///
///     DATA/jobs.sqlite         the jobs
///     DATA/contents/ab/HASH    projects, named by their SHA-256
///     DATA/incoming/           projects on their way
///     DATA/pictures/JOB.png    pictures for clients to fetch
///     DATA/replays/            tasks that took their workers down
///     DATA/lock                held by the broker; says which of its lives was the last one
public final class DataFolder: Sendable {
    public let path: String
    private let lock: Atomic<Int32>

    public var jobsPath: String { path + "/jobs.sqlite" }
    public var picturesFolder: String { path + "/pictures" }
    public var replaysFolder: String { path + "/replays" }

    /// Makes the folder (mode 0700) if it is missing, and locks it.
    ///
    /// - Throws: `unsafeFolder` when others can write in it, `locked`, `file`.
    public init(path: String) throws(StoreError) {
        self.path = path
        try Self.makeFolder(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw .file(path: path, operation: "look at", errno: errno) }
        try Self.checkSafety(of: path, status)
        let lockPath = path + "/lock"
        let file = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        lock = Atomic(file)
        guard file >= 0 else { throw .file(path: lockPath, operation: "open", errno: errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            throw reason == EWOULDBLOCK
                ? .locked(path: path) : .file(path: lockPath, operation: "lock", errno: reason)
        }
        try Self.makeFolder(picturesFolder)
        try Self.makeFolder(replaysFolder)
    }

    deinit { release() }

    /// Looks whether a broker could use the folder, or make it, and changes nothing. That another one may be using it is no
    /// fault.
    ///
    /// - Throws: `unsafeFolder`, `file`.
    public static func check(path: String) throws(StoreError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw .file(path: path, operation: "use the folder", errno: ENOTDIR)
            }
            try checkSafety(of: path, status)
        } else if errno == ENOENT {
            // Where it would be made.
            var place = path
            repeat {
                place = place.splitPath().folder
            } while !place.isEmpty && stat(place, &status) != 0 && errno == ENOENT
            guard faccessat(AT_FDCWD, place.isEmpty ? "." : place, W_OK | X_OK, AT_EACCESS) == 0 else {
                throw .file(path: path, operation: "make the folder", errno: errno)
            }
            return
        }
        guard faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0 else {
            throw .file(path: path, operation: "write in the folder", errno: errno)
        }
    }

    private static func checkSafety(of path: String, _ status: stat) throws(StoreError) {
        guard status.st_mode & 0o022 == 0 else {
            throw .unsafeFolder(
                path: path, reason: "others can write in this data folder; run \"chmod 700\" on it or name another")
        }
        guard status.st_uid == geteuid() else {
            throw .unsafeFolder(path: path, reason: "this data folder belongs to another user")
        }
    }

    /// Lets another broker have the folder; nothing may be done in it afterwards.
    public func release() {
        let file = lock.exchange(-1, ordering: .acquiringAndReleasing)
        if file >= 0 { close(file) }
    }

    // MARK: - Lives

    /// A name for the life of a broker that begins, which no other has; nil after `release`.
    func newLife() -> String? { lockStatus.map { "\($0.st_ino)-\(SubmissionKey.random())" } }

    /// The lives that the database may name if it is what the folder's last broker left: its own, and one that was about to
    /// begin. None in a copy of the folder, whose lock is another file.
    func lives() throws(StoreError) -> [String] {
        guard let status = lockStatus else { return [] }
        var bytes = [UInt8](repeating: 0, count: Self.livesBytesMax)
        let count = pread(lock.load(ordering: .acquiring), &bytes, bytes.count, 0)
        guard count >= 0 else { throw .file(path: lockPath, operation: "read", errno: errno) }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("\(status.st_ino)-") }.map(String.init)
    }

    /// Says which lives the database may name, durably.
    func write(lives: [String]) throws(StoreError) {
        let text = Array(lives.map { $0 + "\n" }.joined().utf8)
        let file = lock.load(ordering: .acquiring)
        guard ftruncate(file, 0) == 0, pwrite(file, text, text.count, 0) == text.count, fsync(file) == 0 else {
            throw .file(path: lockPath, operation: "write", errno: errno)
        }
    }

    /// Whether the folder is still where it was: another one in its place is not locked, and what is put into this one is lost.
    var isInPlace: Bool {
        var status = stat()
        guard let held = lockStatus, stat(lockPath, &status) == 0 else { return false }
        return status.st_dev == held.st_dev && status.st_ino == held.st_ino
    }

    private static let livesBytesMax = 4096
    private var lockPath: String { path + "/lock" }

    /// nil after `release`.
    private var lockStatus: stat? {
        var status = stat()
        return fstat(lock.load(ordering: .acquiring), &status) == 0 ? status : nil
    }

    // MARK: - Folders

    /// Of the files in `pictures`, ascending.
    public var pictureNames: [String] { Self.names(in: picturesFolder) }

    /// What lies in a folder; nothing if it cannot be read.
    static func names(in folder: String) -> [String] {
        ((try? FileSystem.names(in: folder)) ?? []).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Makes a folder for the owner only; one that is there is left as it is.
    static func makeFolder(_ path: String) throws(StoreError) {
        try StoreError.wrapping(path) { () throws(SystemFailure) in
            var made: [String] = []
            try FileSystem.makeFolders(path, mode: 0o700, made: &made)
        }
    }
}
