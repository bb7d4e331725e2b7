import Glibc
import InkSystem
import Synchronization

/// The folder in which a broker keeps everything that survives it; one broker at a time.
///
///     DATA/jobs.sqlite         the jobs
///     DATA/contents/ab/HASH    projects, named by their SHA-256
///     DATA/incoming/           projects on their way
///     DATA/pictures/JOB.png    pictures for clients to fetch
///     DATA/replays/            tasks that took their workers down
///     DATA/lock
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
