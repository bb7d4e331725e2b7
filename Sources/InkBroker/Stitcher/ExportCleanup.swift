import Glibc
import InkFiles
import Synchronization

/// The unfinished files of this process, so that an interrupted program can remove them before it ends.
public enum ExportCleanup {
    private struct Registry {
        var files: Set<String> = []
        var isClosed = false
    }

    private static let registry = Mutex(Registry())

    /// Removes every unfinished file. From here on no picture is written or finished in this process.
    ///
    /// Safe from any thread, and from the handler block of a dispatch source; not from a signal handler itself.
    public static func removeAll() {
        registry.withLock { registry in
            registry.isClosed = true
            for file in registry.files { unlink(file) }
            registry.files = []
        }
    }

    /// Unfinished files that exist now.
    static var count: Int { registry.withLock(\.files.count) }

    /// Runs `create` and remembers the file, both or neither; throws `ECANCELED` after `removeAll`.
    static func register(_ file: String, creating create: PendingFile.Creation) throws(SystemFailure) -> FileDescriptor
    {
        // The lock is held over the creation, so that no file appears unseen while another thread removes them.
        let result: Result<FileDescriptor, SystemFailure> = registry.withLock { registry in
            guard !registry.isClosed else { return .failure(SystemFailure(operation: "create", errno: ECANCELED)) }
            do throws(SystemFailure) {
                let made = try create()
                registry.files.insert(file)
                return .success(made)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Forgets a file that has its final name now, or is gone.
    static func forget(_ file: String) {
        registry.withLock { _ = $0.files.remove(file) }
    }
}
