package import InkClient
import InkProtocol
import InkSystem
import Synchronization

/// The text of a project file, compressed for a broker: on a separate thread while the project is read, or on request.
package final class PackedText: Sendable {
    private enum State {
        case text([UInt8])
        /// Packed text; nil: it cannot be compressed, or is more than a broker takes.
        case packed(PreparedContent?)
    }

    private let state: Mutex<State>

    init(_ text: [UInt8], startsAtOnce: Bool) {
        state = Mutex(.text(text))
        guard startsAtOnce else { return }
        // If no thread can be started, the text is packed on request.
        if let packing = try? PosixThread("client-pack", { [self] in _ = content() }) { packing.detach() }
    }

    /// The packed text for a broker; waits until it is ready. nil if the text cannot be sent.
    package func content() -> PreparedContent? {
        state.withLock { state in
            switch state {
            case .packed(let content): return content
            case .text(let text):
                // Without memory for packing, the project is serialized instead.
                let frame = try? Zstandard.compress(text)
                let content = frame.flatMap { frame in
                    UInt64(frame.count) <= ProtocolLimits.contentBytes
                        ? PreparedContent(bytes: frame, encoding: .zstd) : nil
                }
                state = .packed(content)
                return content
            }
        }
    }
}
