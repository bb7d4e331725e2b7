import CSystem
import Glibc

/// Wakes a thread that waits in `ZeroMQPoll.wait`, from any thread, with an eventfd.
public final class WakeUp: Sendable {
    let descriptor: Int32

    /// - Throws: `transport` if the process has no descriptor left.
    public init() throws(ProtocolError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .system("make an eventfd") }
    }

    deinit { close(descriptor) }

    /// Makes the waiting thread return; stays signalled until cleared.
    public func signal() {
        var one: UInt64 = 1
        // The only possible failure is a full counter; the thread then wakes anyway.
        _ = write(descriptor, &one, 8)
    }

    /// Clears all signals. Call it before reading what was signalled, not after.
    public func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    /// For `ZeroMQPoll.wait`; readable while signalled.
    public var pollItem: PollItem { PollItem(descriptor: descriptor) }
}
