import InkCodecs
import InkEngine
import InkProtocol
import Synchronization

/// Where an export's picture goes.
struct PictureTarget: Sendable {
    let seal: (@Sendable (SealedPicture) throws(BrokerError) -> Void)?
    private let destinations: [String]
    private let replaces: Bool
    private let makesFolders: Bool
    private let makeFiles: @Sendable ([PictureFormat]) throws(BrokerError) -> PictureFiles
    /// From the time when the picture's tiles are known.
    private(set) var output: PictureOutput?

    var hasOnePlace: Bool { destinations.count == 1 }

    init(_ job: ExportJob) {
        seal = job.seal
        destinations = job.destinations
        replaces = job.replaces
        makesFolders = job.makesFolders
        // Not the job, whose project needs no more memory once it is cut.
        let (tag, isPrivate, wantsDigest, isSealed) = (
            job.temporaryTag, job.isPrivate, job.wantsDigest, job.seal != nil
        )
        makeFiles = { [destinations, replaces] formats throws(BrokerError) in
            var writers: [PictureWriter] = []
            do throws(BrokerError) {
                for (destination, format) in zip(destinations, formats) {
                    writers.append(
                        try PictureWriter(
                            target: destination, format: format, tag: tag, isPrivate: isPrivate, replaces: replaces,
                            wantsDigest: wantsDigest && (!format.isFolder || isSealed)))
                }
            } catch {
                for writer in writers { writer.discard() }
                throw error
            }
            return PictureFiles(writers)
        }
    }

    /// Rejects places that can never be written.
    ///
    /// - Parameter formats: of the picture's files.
    /// - Throws: `BrokerError.targetNotAFile`, `.output`.
    func check(_ formats: [PictureFormat]) throws(BrokerError) {
        for (destination, format) in zip(destinations, written(as: formats)) {
            try PictureWriter.check(destination, as: format, replaces: replaces)
        }
    }

    mutating func open(_ assembler: any PictureAssembler, as formats: [PictureFormat]) {
        let (makeFiles, formats) = (makeFiles, written(as: formats))
        output = PictureOutput(name: destinations.joined(separator: ", "), assembler: assembler) {
            () throws(BrokerError) in try makeFiles(formats)
        }
    }

    /// What is written at each destination: an archive is a file, as a PNG is.
    private func written(as formats: [PictureFormat]) -> [PictureFormat] {
        makesFolders && formats.count == destinations.count ? formats : destinations.map { _ in .png }
    }
}

/// The files of one export, from its first band to their names; used by one lane at a time.
///
/// The first call that fails closes it for good: bands that were queued behind one that is missing are not written, and
/// the files do not get their names.
final class PictureOutput: Sendable {
    private let name: String
    private let makeFiles: @Sendable () throws(BrokerError) -> PictureFiles
    private let state: Mutex<State>

    private enum State {
        case fresh(any PictureAssembler)
        case open(PictureFiles, any PictureAssembler)
        /// Failed or given up: nothing is written any more.
        case closed
    }

    /// - Parameters:
    ///   - name: for messages.
    ///   - makeFiles: called when the first pieces are there.
    init(
        name: String, assembler: any PictureAssembler,
        makeFiles: @escaping @Sendable () throws(BrokerError) -> PictureFiles
    ) {
        self.name = name
        self.makeFiles = makeFiles
        state = Mutex(.fresh(assembler))
    }

    /// Adds pieces; the first one makes the files. Returns what there is of the picture then.
    func write(_ pieces: [EncodedPiece]) throws(BrokerError) -> UnfinishedPicture {
        try closingOnFailure { () throws(BrokerError) in
            var (files, assembler) = try opened()
            for piece in pieces { try files.carryOut(assembler.add(piece)) }
            state.withLock { [assembler] in $0 = .open(files, assembler) }
            var picture = files.unfinished
            if !assembler.isAppendOnly { picture.byteCount = 0 }
            return picture
        }
    }

    private func opened() throws(BrokerError) -> (PictureFiles, any PictureAssembler) {
        switch state.withLock({ $0 }) {
        case .open(let files, let assembler): return (files, assembler)
        case .closed: throw .internalError("\(name) has been given up")
        case .fresh(var assembler):
            let files = try makeFiles()
            let writes = assembler.begin()
            state.withLock { [assembler] in $0 = .open(files, assembler) }
            try files.carryOut(writes)
            return (files, assembler)
        }
    }

    /// Ends the files, brings them to the disk and gives them their names.
    func finish(
        seal: ((_ target: String, _ temporary: String, WrittenFile) throws(BrokerError) -> Void)?
    ) throws(BrokerError) -> [WrittenFile] {
        try closingOnFailure { () throws(BrokerError) in
            var (files, assembler) = try opened()
            try files.carryOut(assembler.end())
            return try files.finish(seal: seal)
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
        if case .open(let files, _) = old { files.discard() }
    }
}
