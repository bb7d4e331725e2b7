import Glibc
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

    /// Names it in messages of its reader; its ending may tell what kind it is.
    public var name: String
    /// Empty for a folder.
    public var bytes: [UInt8]
    public var isFolder = false
    public var encoding = ContentEncoding.plain
    public var isNamedByOthers = false
    public var picture: PictureSpec
    public var software: String
    public var companions: Companions

    public init(
        name: String, bytes: [UInt8], picture: PictureSpec, software: String, companions: @escaping Companions
    ) {
        self.name = name
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
    /// The size of the document and of what was found beside it; 0 for a project of this process.
    var byteCount = 0
    /// nil where nothing can be asked for.
    var companions: OpenedDocument.Companions?

    /// nil for a project of this process.
    var document: DocumentTask? {
        if case .document(let task) = task { task } else { nil }
    }

    /// What it takes to read so many bytes.
    static func cost(ofBytes count: Int) -> TaskCost {
        // As they travel, as they are, and what is made of them.
        TaskCost(bytes: 4 * count, nanoseconds: UInt64(RoughSize.prepare(ofBytes: Double(count))))
    }

    /// What a draft of it is held to.
    var order: DraftOrder? {
        document.map { task in
            DraftOrder(name: task.name, picture: task.picture, software: task.software, limits: task.limits)
        }
    }

    /// What makes a complete answer useless; nil when nothing does.
    func fault(in result: TaskResult) -> String? {
        let (requests, failure) = (result.reading.requests, result.reading.failure)
        guard let draft = result.draft else {
            guard result.blocks.isEmpty, result.pieces.isEmpty else { return "blocks or pieces without a draft" }
            guard let failure else { return requests.isEmpty ? "no draft" : fault(in: requests) }
            return requests.isEmpty ? fault(in: failure) : "an error beside requests"
        }
        guard requests.isEmpty, failure == nil else { return "a draft beside requests, or beside an error" }
        guard result.pieces.isEmpty else { return fault(in: result.pieces, of: draft, result.blocks) }
        return order.flatMap { draft.fault(for: $0, blocks: result.blockBytes) }
    }

    /// What is wrong with a picture that a worker has made alone; nil when nothing is.
    private func fault(in pieces: [EncodedPiece], of draft: PictureDraft, _ blocks: [BlockID]) -> String? {
        guard blocks.isEmpty, draft.isOutline else { return "pieces of a picture that is not made alone" }
        let named = Dictionary(draft.blocks.map { ($0, 0) }) { first, _ in first }
        if let fault = order.flatMap({ draft.fault(for: $0, blocks: named) }) { return fault }
        do {
            let plan = try PicturePlan(draft, decoded: [])
            guard let (rows, files) = plan.lonePieces(pieces) else { return "\(pieces.count) pieces of a picture" }
            let whole = plan.whole
            var stitch = StitchState(whole.rowCount > 0 ? [(whole.grid, whole.set)] : [], window: 1)
            for (row, piece) in rows.enumerated() { _ = try stitch.accept(piece, row: row) }
            for (piece, member) in zip(files, whole.set.wholes) {
                let fault = whole.set.members[member].fault(inWhole: piece, whole.scene.picture, whole.format)
                if let fault { return fault }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// What is wrong with an error that is said to be the document's; nil when nothing is.
    private func fault(in failure: EngineError) -> String? {
        switch failure {
        // The broker itself was out of descriptors, and has tried again.
        case .io(_, _, EMFILE), .io(_, _, ENFILE): "an error of the broker's own"
        case .badInput, .overLimit, .io: document == nil ? "an error of no document" : nil
        case .unavailable, .cancelled, .internalError: "an error that is not the document's"
        }
    }

    private func fault(in requests: [CompanionRequest]) -> String? {
        guard let document else { return "files are asked for beside a project of this process" }
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
    init(
        _ document: OpenedDocument, of job: ExportJob, digestsStrokes: Bool, blocks: inout [EncodedBlock]
    ) throws(BrokerError) {
        let content = DocumentParts(
            name: document.name, parts: try DocumentParts.parts(of: document.bytes, into: &blocks),
            isFolder: document.isFolder,
            encoding: document.encoding, isNamedByOthers: document.isNamedByOthers)
        task = .document(
            DocumentTask(
                name: job.name, content: content, picture: document.picture, software: document.software,
                limits: job.limits, digestsStrokes: digestsStrokes))
        byteCount = document.bytes.count
        cost = Self.cost(ofBytes: byteCount)
        companions = document.companions
    }

    /// With the answers to what its reader has asked for, whose files become blocks.
    func with(_ requests: [CompanionRequest], blocks: inout [EncodedBlock]) throws(BrokerError) -> Readable {
        var readable = self
        guard var task = document, let companions else {
            throw .internalError("a project of this process has no files beside it")
        }
        var byteCount = 0
        for found in try companions(requests) {
            var companion = found.companion
            if case .file(_, let path) = companion.answer {
                companion.answer = .file(try DocumentParts.parts(of: found.bytes, into: &blocks), path: path)
                byteCount += found.bytes.count
            }
            task.companions.append(companion)
        }
        let added = Self.cost(ofBytes: byteCount)
        readable.cost.bytes += added.bytes
        readable.cost.nanoseconds += added.nanoseconds
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
