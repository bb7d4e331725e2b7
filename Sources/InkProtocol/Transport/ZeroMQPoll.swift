import CZeroMQ
import Glibc

/// An item to wait for. Valid as long as its socket or wake-up.
public struct PollItem {
    fileprivate var item: zmq_pollitem_t

    init(socket: UnsafeMutableRawPointer, writable: Bool) {
        let events = ZMQ_POLLIN | (writable ? ZMQ_POLLOUT : 0)
        item = zmq_pollitem_t(socket: socket, fd: 0, events: Int16(events), revents: 0)
    }

    init(descriptor: Int32) {
        item = zmq_pollitem_t(socket: nil, fd: descriptor, events: Int16(ZMQ_POLLIN), revents: 0)
    }

    /// After waiting: whether a message has arrived, or the wake-up was signalled.
    public var isReadable: Bool { item.revents & Int16(ZMQ_POLLIN) != 0 }
}

/// Waits for several sockets and wake-ups at once.
public enum ZeroMQPoll {
    /// Waits until one of `items` is ready or the time is over. Returns the number of ready items: 0 after a timeout,
    /// or if a signal interrupted the wait.
    ///
    /// - Parameter timeoutMilliseconds: nil waits forever.
    /// - Throws: `transport`.
    public static func wait(_ items: inout [PollItem], timeoutMilliseconds: Int?) throws(ProtocolError) -> Int {
        var raw = items.map(\.item)
        let ready = zmq_poll(&raw, Int32(raw.count), timeoutMilliseconds.map { max(0, $0) } ?? -1)
        if ready < 0 {
            guard zmq_errno() == EINTR else { throw .zeroMQ("wait for messages") }
            return 0
        }
        for index in items.indices { items[index].item = raw[index] }
        return Int(ready)
    }
}
