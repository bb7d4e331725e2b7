import CMicroHTTP
import Glibc
import InkSystem
import Synchronization

/// Closes connections on which the head of a request does not arrive in time. To the library a byte now and then is a
/// sign of life, so a few clients could hold all connections.
final class HeadWatch: Sendable {
    private struct Awaited {
        var socket: Int32
        var since: UInt64
    }

    private let milliseconds: UInt64
    private let awaited = Mutex<[UInt: Awaited]>([:])
    private let pause = InterruptiblePause()

    /// - Parameter seconds: the longest that a head may take.
    init(seconds: Int) { milliseconds = UInt64(seconds) * 1_000 }

    func start() throws(SystemFailure) {
        try PosixThread("http-heads") { [self] in
            while !pause.isClosed {
                pause.wait(milliseconds: Int(min(milliseconds / 2, 5_000)))
                // Not closed yet, since the library tells of that before it closes the socket.
                awaited.withLock { awaited in
                    let now = SystemClock.milliseconds
                    for each in awaited.values where now > each.since + milliseconds {
                        shutdown(each.socket, Int32(SHUT_RDWR))
                    }
                }
            }
        }.detach()
    }

    func stop() { pause.close() }

    /// A connection was opened, or a request was answered on it.
    func expect(_ connection: OpaquePointer) {
        let socket = ink_http_descriptor(connection)
        awaited.withLock {
            $0[UInt(bitPattern: connection)] = Awaited(socket: socket, since: SystemClock.milliseconds)
        }
    }

    /// The head of a request has arrived, or the connection is closed.
    func forget(_ connection: OpaquePointer) {
        _ = awaited.withLock { $0.removeValue(forKey: UInt(bitPattern: connection)) }
    }
}
