import InkCodecs
import InkEngine
import InkPlanning
public import InkProtocol

/// A document that workers read.
public struct DocumentSource: Sendable {
    /// Called on a lane.
    let open: @Sendable () throws(BrokerError) -> OpenedDocument

    public init(open: @escaping @Sendable () throws(BrokerError) -> OpenedDocument) { self.open = open }
}

/// A document whose bytes are at hand.
public struct OpenedDocument: Sendable {
    /// Finds the files beside it that its reader asks for; called on a lane.
    public typealias Companions = @Sendable ([CompanionRequest]) throws(BrokerError) -> [FoundCompanion]

    /// Empty for a folder.
    public var bytes: [UInt8]
    public var isFolder = false
    public var encoding = ContentEncoding.plain
    public var isNamedByOthers = false
    public var picture: PictureSpec
    public var software: String
    public var companions: Companions

    public init(bytes: [UInt8], picture: PictureSpec, software: String, companions: @escaping Companions) {
        self.bytes = bytes
        self.picture = picture
        self.software = software
        self.companions = companions
    }
}

/// The answer to a request, and the bytes of its file, whose blocks are not made yet.
public struct FoundCompanion: Sendable {
    public var companion: Companion
    public var bytes: [UInt8]

    public init(_ companion: Companion, bytes: [UInt8] = []) {
        self.companion = companion
        self.bytes = bytes
    }
}

/// What a worker reads, and what it takes.
struct Readable: Sendable {
    var task: ReadTask
    var cost: TaskCost
    /// nil where nothing can be asked for.
    var companions: OpenedDocument.Companions?

    /// nil for a project of this process.
    var document: DocumentTask? {
        if case .document(let task) = task { task } else { nil }
    }

    /// What a draft of it is held to.
    var order: DraftOrder? {
        document.map { task in
            DraftOrder(name: task.name, picture: task.picture, software: task.software, limits: task.limits)
        }
    }

    /// What is wrong with requests of its reader in the given round, from 1; nil when nothing is.
    func fault(in requests: [CompanionRequest], round: Int) -> String? {
        guard let document else { return "files are asked for beside a project of this process" }
        guard round <= ProtocolLimits.companionRounds else { return "files are asked for \(round) times" }
        let known = Set(document.companions.map(\.request))
        guard known.isDisjoint(with: requests), Set(requests).count == requests.count else {
            return "a file is asked for twice"
        }
        return known.count + requests.count <= ProtocolLimits.companions ? nil : "too many files are asked for"
    }
}

extension Readable {
    /// A document, whose bytes become blocks.
    ///
    /// - Parameters:
    ///   - digestsStrokes: whether results are kept.
    ///   - nanoseconds: that reading it is estimated to take.
    init(
        _ document: OpenedDocument, of job: ExportJob, digestsStrokes: Bool, nanoseconds: UInt64,
        blocks: inout [EncodedBlock]
    ) throws(BrokerError) {
        let content = DocumentParts(
            parts: try DocumentParts.parts(of: document.bytes, into: &blocks), isFolder: document.isFolder,
            encoding: document.encoding, isNamedByOthers: document.isNamedByOthers)
        task = .document(
            DocumentTask(
                name: job.name, content: content, picture: document.picture, software: document.software,
                limits: job.limits, digestsStrokes: digestsStrokes))
        // As it travels, as it is, and what is made of it.
        cost = TaskCost(bytes: 4 * document.bytes.count, nanoseconds: nanoseconds)
        companions = document.companions
    }

    /// With the answers to what its reader has asked for, whose files become blocks.
    func with(_ requests: [CompanionRequest], blocks: inout [EncodedBlock]) throws(BrokerError) -> Readable {
        var readable = self
        guard var task = document, let companions else {
            throw .internalError("a project of this process has no files beside it")
        }
        for found in try companions(requests) {
            var companion = found.companion
            if case .file(_, let path) = companion.answer {
                companion.answer = .file(try DocumentParts.parts(of: found.bytes, into: &blocks), path: path)
                readable.cost.bytes += 4 * found.bytes.count
            }
            task.companions.append(companion)
        }
        readable.task = .document(task)
        return readable
    }
}

extension DocumentParts {
    /// Makes blocks of bytes; returns their names.
    fileprivate static func parts(
        of bytes: [UInt8], into blocks: inout [EncodedBlock]
    ) throws(BrokerError) -> [BlockID] {
        var parts: [BlockID] = []
        for start in stride(from: 0, to: bytes.count, by: partBytes) {
            let part = Array(bytes[start..<min(bytes.count, start + partBytes)])
            let block = try BrokerError.refusing { () throws(EngineError) in try BlockEncoder.standard.bytes(part) }
            parts.append(block.id)
            blocks.append(block)
        }
        return parts
    }
}
