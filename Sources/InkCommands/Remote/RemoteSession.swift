import InkClient
import InkExports
import InkProtocol

/// A command's connection to a broker, which waits for events on the main thread and handles signals.
struct RemoteSession {
    enum Event: Sendable {
        case client(FarmClientEvent)
        case stop(StopSignal)
    }

    let connection: any FarmConnection
    private let queue: EventQueue<Event>
    private let console: Console
    private let isQuiet: Bool
    private let clock = Stopwatch()
    private var link: LinkWatch
    private(set) var stoppedBy: StopSignal?

    /// Connects. The first signal becomes an event; a second one exits at once.
    init(
        _ options: RemoteOptions, _ environment: CommandEnvironment, isQuiet: Bool = false
    ) throws(CommandError) {
        let queue = EventQueue<Event>()
        if environment.handlesSignals {
            try Interrupts.watch { queue.post(.stop($0)) }
        }
        connection = try options.connect(environment) { queue.post(.client($0)) }
        self.queue = queue
        console = environment.console
        self.isQuiet = isQuiet
        link = LinkWatch(options)
    }

    /// Milliseconds since the session was created.
    var milliseconds: Double { clock.milliseconds }

    /// The client's events, after waiting at most this number of milliseconds.
    /// - Throws: `farm` if the broker has been unreachable for too long.
    mutating func receive(waitingAtMost milliseconds: Int) throws(CommandError) -> [FarmClientEvent] {
        var events: [FarmClientEvent] = []
        for event in queue.receive(waitingAtMost: milliseconds) {
            switch event {
            case .stop(let signal):
                Interrupts.heed()
                if stoppedBy == nil { stoppedBy = signal }
            case .client(let event):
                link.note(event, now: clock.milliseconds)
                events.append(event)
            }
        }
        if let news = link.news(now: clock.milliseconds), !isQuiet { console.warning(news) }
        if events.isEmpty, let failure = link.failure(now: clock.milliseconds) { throw failure }
        return events
    }
}
