import InkSystem
import Synchronization

/// A digest of which a large first part is worked out beside the calling thread.
final class BackgroundDigest: Sendable {
    /// Below this a thread costs more than it saves, bytes.
    private static let worthwhileBytes = 1 << 20

    /// Used by one thread at a time: the working one, and when that has ended the asking one.
    private struct Digest: @unchecked Sendable {
        let stream = SHA256()
    }

    private let digest = Digest()
    private let thread: Mutex<PosixThread?>

    init(label: String, _ bytes: [UInt8]) {
        let digest = digest
        let work = { @Sendable in digest.stream.update(label: label, bytes) }
        // Where the system gives no thread, this one does it.
        let thread = bytes.count >= BackgroundDigest.worthwhileBytes ? try? PosixThread(work) : nil
        self.thread = Mutex(thread)
        if thread == nil { work() }
    }

    deinit { thread.withLock { $0 }?.detach() }

    /// The digest up to here, once the first part is in it; it may be continued.
    func finish() -> SHA256 {
        thread.withLock { $0.take() }?.join()
        return digest.stream
    }
}
