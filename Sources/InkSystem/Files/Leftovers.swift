import Glibc
import Synchronization

/// What this process has on the disk that must not outlive it: unfinished files, temporary folders. Whoever has to leave at
/// once removes it first.
package enum Leftovers {
    private struct Registry {
        var paths: Set<String> = []
        var isClosed = false
    }

    private static let registry = Mutex(Registry())

    /// Removes all of it. From here on nothing new is made in this process, nor is an unfinished file finished.
    ///
    /// Safe from any thread, not from a signal handler.
    package static func removeAll() {
        registry.withLock { registry in
            registry.isClosed = true
            for path in registry.paths { FileSystem.removeTree(path) }
            registry.paths = []
        }
    }

    /// How many there are now.
    package static var count: Int { registry.withLock(\.paths.count) }

    /// Makes a file or a folder and remembers it, both or neither. Throws what `make` does; `ECANCELED` after `removeAll`.
    package static func add<T: Sendable>(
        _ make: () throws(SystemFailure) -> (path: String, T)
    ) throws(SystemFailure) -> T {
        // The lock is held over the making, so that nothing appears unseen while another thread removes all.
        let result: Result<T, SystemFailure> = registry.withLock { registry in
            guard !registry.isClosed else { return .failure(SystemFailure(operation: "create", errno: ECANCELED)) }
            do throws(SystemFailure) {
                let (path, made) = try make()
                registry.paths.insert(path)
                return .success(made)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Call this when the file has its final name or is gone.
    package static func forget(_ path: String) {
        registry.withLock { _ = $0.paths.remove(path) }
    }
}
