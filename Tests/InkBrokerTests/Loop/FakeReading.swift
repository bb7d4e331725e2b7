import InkCodecs
import InkEngine
import InkProtocol

@testable import InkBroker
@testable import InkPlanning

/// What a fake worker makes of a document: the farm's own project, whatever the bytes are.
enum FakeReading {
    static func items(_ task: ReadTask, of project: Project = Farm.project()) throws -> [ResultItem] {
        guard case .document(let document) = task else { return [] }
        let (draft, blocks) = try draft(document, of: project)
        var items = blocks.map { ResultItem.block(Block(id: $0.id, frame: $0.frame)) }
        for part in try draft.encodedParts() { items.append(.draft(try Block(content: part))) }
        return items + [.readingEnd(ReadingEnd())]
    }

    static func draft(
        _ document: DocumentTask, of project: Project = Farm.project()
    ) throws -> (PictureDraft, [EncodedBlock]) {
        guard case .exact(let size) = document.picture.size else { throw EngineError.internalError("no size") }
        var blocks: [EncodedBlock] = []
        let order = PictureOrder(output: size, options: document.picture.options, software: document.software)
        let draft = try PictureDraft(
            project, order: order, name: document.name, limits: document.limits,
            encoder: document.digestsStrokes ? BlockEncoder.standard.digestingStrokes : .standard, blocks: &blocks)
        return (draft, blocks)
    }

    static func request(_ name: String) -> CompanionRequest { CompanionRequest(kind: 1, name: Array(name.utf8)) }
}

extension ReadTask {
    /// nil for a project of this process.
    var document: DocumentTask? { if case .document(let document) = self { document } else { nil } }
}

extension WorkerTask {
    /// The document that is to be read; nil for other tasks.
    var document: DocumentTask? {
        switch self {
        case .read(let read): read.document
        case .whole(let whole): whole.read.document
        default: nil
        }
    }

    var isWhole: Bool { if case .whole = self { true } else { false } }
}

extension Farm {
    /// Submits an export of a document.
    ///
    /// - Parameter othersWaiting: nil: it is not known how large it is.
    func submit(
        _ id: UInt64, _ name: String = "a.png", document bytes: [UInt8], tile: PixelSize? = nil,
        othersWaiting: Int? = nil,
        companions: @escaping OpenedDocument.Companions = { _ in [] }
    ) {
        let size = Farm.project().canvasSize.pixels
        let picture = PictureSpec(size: .exact(size), options: PictureOptions(tile: tile))
        let source = DocumentSource { () throws(BrokerError) in
            OpenedDocument(
                name: "a.ink", bytes: bytes, picture: picture, software: "ink 1.0", companions: companions)
        }
        var job = ExportJob(
            id: JobID(id), name: "a.ink", source: .document(source), destination: folder + "/" + name)
        if let othersWaiting {
            (job.byteCount, job.pixelCount) = (bytes.count, Double(size.area))
            job.othersWaiting = othersWaiting
        }
        broker.submit(job)
    }
}
