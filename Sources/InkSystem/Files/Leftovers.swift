import Glibc
import Synchronization

/// The files and folders of this process that must not outlive it: unfinished files and temporary folders. Code that
/// has to exit at once removes them first.
package enum Leftovers {
    private struct Registry {
        var paths: Set<String> = []
        var isClosed = false
    }

    private static let registry = Mutex(Registry())

    /// Removes all of them. Afterwards this process creates nothing new and finishes no unfinished file.
    ///
    /// Safe from any thread, but not from a signal handler.
    package static func removeAll() {
        registry.withLock { registry in
            registry.isClosed = true
            for path in registry.paths { FileSystem.removeTree(path) }
            registry.paths = []
        }
    }

    /// Current number.
    package static var count: Int { registry.withLock(\.paths.count) }

    /// Creates and registers a file or a folder, both or neither. Throws the error of `make`; `ECANCELED` after
    /// `removeAll`.
    package static func add<T: Sendable>(
        _ make: () throws(SystemFailure) -> (path: String, T)
    ) throws(SystemFailure) -> T {
        // The lock is held during creation, so that nothing is missed while another thread removes everything.
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
