import Foundation
import InkBroker
import InkProtocol
import InkSystem

/// A worker that says what it is told to, and takes what it is sent when it is asked for it.
final class RawWorker {
    private let socket: ZeroMQSocket

    /// Introduces itself, and takes no tasks.
    ///
    /// - Parameter queued: messages that may wait on its side.
    init(
        _ endpoint: String, context: ZeroMQContext, name: String = "raw", queued: Int = 1000
    ) throws {
        var options = ZeroMQSocketOptions()
        options.receivedHighWaterMark = queued
        options.lingerMilliseconds = 0
        socket = try ZeroMQSocket(.dealer, context: context, options: options)
        try socket.connect(endpoint)
        let hello = Hello(
            rendererVersion: "raw", workerName: name, threads: 1, taskCredits: 1, byteCredits: 1)
        try say(.hello(hello))
        try say(.goodbye(.draining))
    }

    func say(_ message: WorkerMessage) throws {
        let frame = try message.encoded()
        while try socket.send([frame]) != .sent { usleep(1_000) }
    }

    /// The next message that `pick` takes; nil when none comes.
    func hear<T>(seconds: Double = 20, _ pick: (BrokerMessage) -> T?) throws -> T? {
        let end = SystemClock.milliseconds + UInt64(seconds * 1000)
        while SystemClock.milliseconds < end {
            var items = [socket.pollItem()]
            _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 50)
            guard let message = try socket.receive() else { continue }
            if let found = pick(try BrokerMessage(frame: message.parts[0])) { return found }
        }
        return nil
    }
}
