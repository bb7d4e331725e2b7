import Glibc
import InkProtocol
import InkSystem
import Synchronization

/// The folder with everything that must survive a broker. Only one broker uses it at a time.
///
///     DATA/jobs.sqlite         the jobs
///     DATA/contents/ab/HASH    projects, named by their SHA-256
///     DATA/incoming/           projects being received
///     DATA/pictures/JOB.png    pictures for clients to fetch
///     DATA/replays/            tasks that crashed their workers
///     DATA/life                the last life of a broker here, and the highest numbers that it assigned (`LifeFile`)
///     DATA/reserve             disk space for the ends of jobs and for purges when the disk is full
///     DATA/lock                held by the broker
public final class DataFolder: Sendable {
    public let path: String
    private let lock: Atomic<Int32>
    /// nil before a life began here, and after `release`.
    private let life = Mutex<LifeFile?>(nil)
    private let reserve = Mutex(())
    private let isReserved = Atomic(false)

    public var jobsPath: String { path + "/jobs.sqlite" }
    public var picturesFolder: String { path + "/pictures" }
    public var replaysFolder: String { path + "/replays" }

    /// Makes the folder (mode 0700) if it is missing, and locks it.
    ///
    /// - Throws: `unsafeFolder` if others can write to it, `locked`, `file`.
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

    /// Checks whether a broker could use the folder, or create it, without changing anything. It is not an error if
    /// another broker uses it.
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
            // The existing folder in which it would be created.
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
                path: path, reason: "other users can write to this data folder; run \"chmod 700\" on it or name another"
            )
        }
        guard status.st_uid == geteuid() else {
            throw .unsafeFolder(path: path, reason: "this data folder belongs to another user")
        }
    }

    /// Releases the folder for another broker. Do not use it afterwards.
    public func release() {
        life.withLock { $0 = nil }
        let file = lock.exchange(-1, ordering: .acquiringAndReleasing)
        if file >= 0 { close(file) }
    }

    // MARK: - Lives

    /// A unique name for the life of a broker that begins; nil after `release`.
    func newLife() -> String? { lockStatus == nil ? nil : "\(SubmissionKey.random())" }

    /// The lives that the database may contain if it belongs to the folder's last broker: the last one, and one that
    /// was about to begin. None in a copy of the folder.
    func lives() throws(StoreError) -> [String] { try lastLife()?.lives ?? [] }

    /// The record of the folder's last broker; nil if the file is missing or a copy.
    func lastLife() throws(StoreError) -> LifeFile.Text? {
        try StoreError.wrapping(lifePath) { () throws(SystemFailure) in try LifeFile.read(lifePath) }
    }

    /// Records the lives that the database may contain, and the highest numbers assigned, durably and in a new file.
    func write(lives: [String], given: GivenNumbers? = nil) throws(StoreError) {
        let last = try lastLife()
        let text = LifeFile.Text(lives: lives, given: given ?? last?.given ?? GivenNumbers())
        let file = try StoreError.wrapping(lifePath) { () throws(SystemFailure) in
            try LifeFile(making: lifePath, text)
        }
        life.withLock { $0 = file }
    }

    /// Records the last life again in a new file, so that copies made before are not valid.
    func endLife() throws(StoreError) {
        guard isInPlace, let last = try lastLife() else { return }
        try write(lives: last.lives, given: last.given)
    }

    /// Records numbers that are stored and may be reported.
    func note(_ given: GivenNumbers) { life.withLock { $0?.note(given) } }

    /// Whether the folder is still at its path. A folder that replaced it is not locked, and data written to this one
    /// would be lost.
    var isInPlace: Bool {
        var status = stat()
        guard let held = lockStatus, stat(lockPath, &status) == 0 else { return false }
        return status.st_dev == held.st_dev && status.st_ino == held.st_ino
    }

    private var lockPath: String { path + "/lock" }
    private var lifePath: String { path + "/life" }
    private var reservePath: String { path + "/reserve" }

    /// nil after `release`.
    private var lockStatus: stat? {
        var status = stat()
        return fstat(lock.load(ordering: .acquiring), &status) == 0 ? status : nil
    }

    // MARK: - Reserve

    private static let reserveBytes = 1 << 20

    /// Whether the reserve exists.
    var hasReserve: Bool { isReserved.load(ordering: .relaxed) }

    /// Makes the reserve if it does not exist.
    ///
    /// - Throws: `full` if there is no room, `file`.
    func keepReserve() throws(StoreError) {
        if hasReserve { return }
        let failure: StoreError? = reserve.withLock { _ in
            do throws(StoreError) {
                try StoreError.wrapping { () throws(SystemFailure) in
                    let file = try FileDescriptor(
                        opening: reservePath, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600, operation: "make")
                    try file.allocate(Self.reserveBytes)
                }
                isReserved.store(true, ordering: .relaxed)
                return nil
            } catch {
                unlink(reservePath)
                return error.isOutOfSpace ? .full(path: path) : error
            }
        }
        if let failure { throw failure }
    }

    /// Releases the reserve for data that cannot wait. Returns whether it existed.
    func releaseReserve() -> Bool {
        reserve.withLock { _ in
            isReserved.store(false, ordering: .relaxed)
            return unlink(reservePath) == 0
        }
    }

    // MARK: - Folders

    /// The names of the files in `pictures`, ascending.
    public var pictureNames: [String] { Self.names(in: picturesFolder) }

    /// The entries of a folder; empty if it cannot be read.
    static func names(in folder: String) -> [String] {
        // Whoever opens a file of the folder reports the error.
        ((try? FileSystem.names(in: folder)) ?? []).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Makes a folder that only the owner can use; an existing folder is not changed.
    static func makeFolder(_ path: String) throws(StoreError) {
        try StoreError.wrapping { () throws(SystemFailure) in
            var made: [String] = []
            try FileSystem.makeFolders(path, mode: 0o700, made: &made)
        }
    }
}
