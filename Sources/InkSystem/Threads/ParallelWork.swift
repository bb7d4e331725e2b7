import Glibc
import Synchronization

/// Work in pieces that can be done in any order.
package enum ParallelWork {
    private static let stackBytes = 1 << 20

    private final class Progress: Sendable {
        let next = Atomic(0)
        let hasFailed = Atomic(false)
    }

    /// Does the pieces `0 ..< count` on the calling thread and on one more thread per further processor, as far as the
    /// system provides them. Returns whether all succeeded. After a failure, pieces that have not begun are skipped.
    package static func perform(_ count: Int, _ piece: @escaping @Sendable (Int) -> Bool) -> Bool {
        let progress = Progress()
        let work = { @Sendable in
            while !progress.hasFailed.load(ordering: .relaxed) {
                let index = progress.next.add(1, ordering: .relaxed).oldValue
                guard index < count else { return }
                if !piece(index) { progress.hasFailed.store(true, ordering: .relaxed) }
            }
        }
        var helpers: [PosixThread] = []
        for _ in 0..<max(0, min(count, sysconf(Int32(_SC_NPROCESSORS_ONLN))) - 1) {
            // The existing threads do the rest.
            guard let helper = try? PosixThread("parallel", stackBytes: stackBytes, work) else { break }
            helpers.append(helper)
        }
        work()
        for helper in helpers { helper.join() }
        return !progress.hasFailed.load(ordering: .relaxed)
    }
}
