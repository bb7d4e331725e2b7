import Glibc
import InkProtocol
import InkSystem

/// The parts of a loop.
struct ClientParts: Sendable {
    var configuration: FarmClientConfiguration
    var context: ZeroMQContext
    var mailbox: Mailbox<ClientEvent>
    /// Contents that were read. They are separate, because they wait until the socket has accepted earlier data.
    var reads: Mailbox<ContentRead>
    var onEvent: @Sendable (FarmClientEvent) -> Void
    var onAnswer: @Sendable (RequestID, RequestOutcome) -> Void
    var onAnswering: @Sendable (RequestID) -> Void
}

/// The effects of a client: its socket, its clock, its files. Used by one thread.
final class ClientLoop {
    private var state: ClientState
    private let parts: ClientParts
    private let files: FileLanes
    private let connection = DealerConnection()
    private var hasStopped = false
    /// Number of messages read before other work gets its turn.
    private static let messagesInTurn = 64

    init(_ parts: ClientParts, _ files: FileLanes) {
        self.parts = parts
        self.files = files
        var rules = ClientRules()
        rules.name = parts.configuration.name
        rules.helloTime = max(1, parts.configuration.helloMilliseconds)
        rules.uploadBytes = max(rules.uploadPartBytes, parts.configuration.uploadMemory)
        state = ClientState(
            rules: rules, seed: UInt64.random(in: .min ... .max),
            line: LineWindow(endpoint: parts.configuration.endpoint))
    }

    /// Runs until it is asked to stop.
    func run() {
        handle(.started)
        while !hasStopped {
            do throws(ProtocolError) {
                try wait()
                try receive()
            } catch {
                fail(error)
            }
            for event in parts.mailbox.take() { handle(event) }
            if !connection.hasUnsent { for read in parts.reads.take() { handle(.contentRead(read)) } }
            handle(.tick)
        }
        files.close()
        // Handles pictures that were being finished.
        for event in parts.mailbox.take() { handle(event) }
    }

    private func handle(_ event: ClientEvent) {
        var failure: ProtocolError?
        for action in state.handle(event, now: Int64(SystemClock.milliseconds)) {
            // The caller gets its result whatever happens to the connection.
            do throws(ProtocolError) { try perform(action) } catch { failure = failure ?? error }
        }
        if let failure { fail(failure) }
    }

    /// The socket is unusable; a new one is created at the next retry.
    private func fail(_ error: ProtocolError) {
        connection.close()
        handle(.connectionFailed(error))
    }

    private func perform(_ action: ClientAction) throws(ProtocolError) {
        switch action {
        case .connect: try connect()
        case .send(let message): try connection.send(message.encoded())
        case .emit(let event): parts.onEvent(event)
        case .answer(let id, let outcome): parts.onAnswer(id, outcome)
        case .answering(let id): parts.onAnswering(id)
        case .read(let id, let source, let serial, let offset, let byteCount):
            files.read(id, source, serial: serial, offset: offset, byteCount: byteCount)
        case .open(let id, let path, let format): files.open(id, path: path, format)
        case .write(let id, let bytes): files.write(id, bytes)
        case .finish(let id, let picture, let job): files.finish(id, picture, of: job)
        case .discard(let id): files.discard(id)
        case .stop: hasStopped = true
        }
    }

    private func connect() throws(ProtocolError) {
        let configuration = parts.configuration
        try connection.open(configuration.endpoint, options: configuration.socketOptions, context: parts.context)
    }

    private func wait() throws(ProtocolError) {
        var items = [parts.mailbox.wakeUp.pollItem]
        if !connection.hasUnsent { items.append(parts.reads.wakeUp.pollItem) }
        if let item = connection.pollItem { items.append(item) }
        let timeout = state.nextTick.map { Int(max(0, min($0 - Int64(SystemClock.milliseconds), 60_000))) }
        _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: timeout)
        try connection.flush()
    }

    private func receive() throws(ProtocolError) {
        for _ in 0..<ClientLoop.messagesInTurn {
            guard let frame = try connection.receive() else { return }
            let message: ServiceMessage
            do throws(ProtocolError) {
                message = try ServiceMessage(frame: frame)
            } catch {
                // A broker of another version reports this in that version, which this program cannot read.
                if case .unsupportedVersion = error { handle(.received(.refuse(reason: "\(error)"))) }
                // A broker that keeps the protocol does not send anything else here; it does not count as a sign of
                // life.
                continue
            }
            handle(.received(message))
        }
    }
}

extension FarmClientConfiguration {
    var socketOptions: ZeroMQSocketOptions {
        var options = ZeroMQSocketOptions()
        // Parts of contents wait in memory; a few are enough to keep the line busy.
        options.highWaterMark = 64
        options.security = security
        return options
    }
}
