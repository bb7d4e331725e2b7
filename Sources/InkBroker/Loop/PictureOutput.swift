import InkEngine
import Synchronization

/// The file of one export, from its first band to its name; used by one lane at a time.
///
/// The first call that fails closes it for good: bands that were queued behind one that is missing are not written, and
/// the file does not get its name.
final class PictureOutput: Sendable {
    private let destination: String
    private let head: PictureHead
    private let container: PictureContainer
    private let makeWriter: @Sendable () throws(BrokerError) -> PictureWriter
    private let state = Mutex(State.fresh)

    private enum State {
        case fresh
        case open(PictureWriter)
        /// Failed or given up: nothing is written any more.
        case closed
    }

    /// - Parameter makeWriter: called when the first bands are there.
    init(
        destination: String, head: PictureHead, container: PictureContainer,
        makeWriter: @escaping @Sendable () throws(BrokerError) -> PictureWriter
    ) {
        self.destination = destination
        self.head = head
        self.container = container
        self.makeWriter = makeWriter
    }

    /// Appends bands; the first one makes the file. Returns what there is of the picture then.
    func write(_ bands: [StitchBand]) throws(BrokerError) -> UnfinishedPicture {
        try closingOnFailure { () throws(BrokerError) in
            let writer = try writer()
            for band in bands { try writer.write(container.data(band.bytes, band.row == 0)) }
            return writer.unfinished
        }
    }

    private func writer() throws(BrokerError) -> PictureWriter {
        switch state.withLock({ $0 }) {
        case .open(let writer): return writer
        case .closed: throw .internalError("\(destination) has been given up")
        case .fresh:
            let writer = try makeWriter()
            state.withLock { $0 = .open(writer) }
            try writer.write(container.prologue(head))
            return writer
        }
    }

    /// Ends the file, brings it to the disk and gives it its name.
    func finish(
        adler32: UInt32, seal: ((_ target: String, _ temporary: String, WrittenPicture) throws(BrokerError) -> Void)?
    ) throws(BrokerError) -> WrittenPicture {
        try closingOnFailure { () throws(BrokerError) in
            let writer = try writer()
            try writer.write(container.epilogue(adler32))
            guard let seal else { return try writer.finish() }
            return try writer.finish { (temporary, picture) throws(BrokerError) in
                try seal(writer.target, temporary, picture)
            }
        }
    }

    private func closingOnFailure<T>(_ body: () throws(BrokerError) -> T) throws(BrokerError) -> T {
        do throws(BrokerError) {
            return try body()
        } catch {
            discard()
            throw error
        }
    }

    /// Removes what has been written; a picture that is finished stays.
    func discard() {
        let old = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .open(let writer) = old { writer.discard() }
    }
}
