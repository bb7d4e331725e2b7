import Dispatch

/// A digest of which a large first part is worked out beside the calling thread.
final class BackgroundDigest: Sendable {
    /// Below this a thread costs more than it saves, bytes.
    private static let worthwhileBytes = 1 << 20

    /// Used by one thread at a time: the working one, and after the end of the group the asking one.
    private struct Digest: @unchecked Sendable {
        let stream = SHA256()
    }

    private let digest = Digest()
    private let group = DispatchGroup()

    init(label: String, _ bytes: [UInt8]) {
        let digest = digest
        guard bytes.count >= BackgroundDigest.worthwhileBytes else {
            digest.stream.update(label: label, bytes)
            return
        }
        DispatchQueue.global().async(group: group) { digest.stream.update(label: label, bytes) }
    }

    /// The digest up to here, once the first part is in it; it may be continued.
    func finish() -> SHA256 {
        group.wait()
        return digest.stream
    }
}
