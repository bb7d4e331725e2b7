import InkEngine
import InkSystem
import Synchronization

/// A digest whose large first part is computed on another thread.
final class BackgroundDigest: Sendable {
    /// Below this size a thread costs more than it saves, bytes.
    private static let worthwhileBytes = 1 << 20

    /// Used by one thread at a time: first by the computing one, then by the calling one.
    private struct Digest: @unchecked Sendable {
        let stream = SHA256()
    }

    private let digest = Digest()
    private let thread: Mutex<PosixThread?>

    init(label: String, _ bytes: [UInt8]) {
        let digest = digest
        let work = { @Sendable in digest.stream.update(label: label, bytes) }
        // If no thread can be started, this one computes the digest.
        let thread = bytes.count >= BackgroundDigest.worthwhileBytes ? try? PosixThread("digest", work) : nil
        self.thread = Mutex(thread)
        if thread == nil { work() }
    }

    deinit { thread.withLock { $0 }?.detach() }

    /// The digest so far; waits for the first part. More bytes may be added.
    func finish() -> SHA256 {
        thread.withLock { $0.take() }?.join()
        return digest.stream
    }
}
