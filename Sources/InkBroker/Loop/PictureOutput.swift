import InkEngine
import Synchronization

/// The file of one export, from its first band to its name; used by one lane at a time.
final class PictureOutput: Sendable {
    private let destination: String
    private let tag: String?
    private let isPrivate: Bool
    private let replaces: Bool
    private let wantsDigest: Bool
    private let head: PictureHead
    private let container: PictureContainer
    private let state = Mutex(State.fresh)

    private enum State {
        case fresh
        case open(PictureWriter)
        /// Failed or given up: nothing is written any more.
        case closed
    }

    init(
        destination: String, tag: String?, isPrivate: Bool, replaces: Bool, wantsDigest: Bool,
        head: PictureHead, container: PictureContainer
    ) {
        self.destination = destination
        self.tag = tag
        self.isPrivate = isPrivate
        self.replaces = replaces
        self.wantsDigest = wantsDigest
        self.head = head
        self.container = container
    }

    /// Appends bands; the first one makes the file. Returns what there is of the picture then.
    func write(_ bands: [StitchBand]) throws(BrokerError) -> UnfinishedPicture {
        let writer = try writer()
        for band in bands { try writer.write(container.data(band.bytes, band.row == 0)) }
        return writer.unfinished
    }

    private func writer() throws(BrokerError) -> PictureWriter {
        switch state.withLock({ $0 }) {
        case .open(let writer): return writer
        case .closed: throw .internalError("\(destination) has been given up")
        case .fresh:
            let writer = try PictureWriter(
                target: destination, tag: tag, isPrivate: isPrivate, replaces: replaces,
                wantsDigest: wantsDigest)
            state.withLock { $0 = .open(writer) }
            try writer.write(container.prologue(head))
            return writer
        }
    }

    /// Ends the file, brings it to the disk and gives it its name.
    func finish(
        adler32: UInt32, seal: ((_ target: String, _ temporary: String, WrittenPicture) throws(BrokerError) -> Void)?
    ) throws(BrokerError) -> WrittenPicture {
        let writer = try writer()
        try writer.write(container.epilogue(adler32))
        guard let seal else { return try writer.finish() }
        return try writer.finish { (temporary, picture) throws(BrokerError) in
            try seal(writer.target, temporary, picture)
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
