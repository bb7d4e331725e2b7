import InkEngine
import Synchronization

/// Where an export's picture goes.
struct PictureTarget: Sendable {
    let seal: (@Sendable (SealedPicture) throws(BrokerError) -> Void)?
    private let destination: String
    private let makeWriter: @Sendable () throws(BrokerError) -> PictureWriter
    /// From the time when the picture's tiles are known.
    private(set) var output: PictureOutput?

    init(_ job: ExportJob) {
        seal = job.seal
        destination = job.destination
        let (tag, isPrivate, replaces, wantsDigest) = (job.temporaryTag, job.isPrivate, job.replaces, job.wantsDigest)
        makeWriter = { [destination] () throws(BrokerError) in
            try PictureWriter(
                target: destination, tag: tag, isPrivate: isPrivate, replaces: replaces, wantsDigest: wantsDigest)
        }
    }

    mutating func open(_ assembler: any PictureAssembler) {
        output = PictureOutput(destination: destination, assembler: assembler, makeWriter: makeWriter)
    }
}

/// The file of one export, from its first band to its name; used by one lane at a time.
///
/// The first call that fails closes it for good: bands that were queued behind one that is missing are not written, and
/// the file does not get its name.
final class PictureOutput: Sendable {
    private let destination: String
    private let makeWriter: @Sendable () throws(BrokerError) -> PictureWriter
    private let state: Mutex<State>

    private enum State {
        case fresh(any PictureAssembler)
        case open(PictureWriter, any PictureAssembler)
        /// Failed or given up: nothing is written any more.
        case closed
    }

    /// - Parameter makeWriter: called when the first pieces are there.
    init(
        destination: String, assembler: any PictureAssembler,
        makeWriter: @escaping @Sendable () throws(BrokerError) -> PictureWriter
    ) {
        self.destination = destination
        self.makeWriter = makeWriter
        state = Mutex(.fresh(assembler))
    }

    /// Adds pieces; the first one makes the file. Returns what there is of the picture then.
    func write(_ pieces: [EncodedPiece]) throws(BrokerError) -> UnfinishedPicture {
        try closingOnFailure { () throws(BrokerError) in
            var (writer, assembler) = try opened()
            for piece in pieces { try Self.carryOut(assembler.add(piece), writer) }
            state.withLock { [assembler] in $0 = .open(writer, assembler) }
            return writer.unfinished
        }
    }

    private func opened() throws(BrokerError) -> (PictureWriter, any PictureAssembler) {
        switch state.withLock({ $0 }) {
        case .open(let writer, let assembler): return (writer, assembler)
        case .closed: throw .internalError("\(destination) has been given up")
        case .fresh(var assembler):
            let writer = try makeWriter()
            let writes = assembler.begin()
            state.withLock { [assembler] in $0 = .open(writer, assembler) }
            try Self.carryOut(writes, writer)
            return (writer, assembler)
        }
    }

    private static func carryOut(_ writes: [PictureWrite], _ writer: PictureWriter) throws(BrokerError) {
        for write in writes {
            switch write {
            case .append(let bytes): try writer.write(bytes)
            }
        }
    }

    /// Ends the file, brings it to the disk and gives it its name.
    func finish(
        seal: ((_ target: String, _ temporary: String, WrittenPicture) throws(BrokerError) -> Void)?
    ) throws(BrokerError) -> WrittenPicture {
        try closingOnFailure { () throws(BrokerError) in
            var (writer, assembler) = try opened()
            try Self.carryOut(assembler.end(), writer)
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
        if case .open(let writer, _) = old { writer.discard() }
    }
}
