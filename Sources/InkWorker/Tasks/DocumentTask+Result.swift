import InkEngine
import InkPlanning
import InkProtocol

extension DocumentTask {
    /// What a worker gives back.
    ///
    /// - Parameter reading: what has come of reading the document.
    /// - Throws: `internalError`, `unavailable`, `cancelled`.
    func result(of reading: DocumentTaskReading) throws(EngineError) -> [ResultItem] {
        switch reading {
        case .read(let project, let warnings):
            do throws(EngineError) {
                return try items(of: project) + [.readingEnd(ReadingEnd(warnings: warnings))]
            } catch {
                return try Self.result(refusing: error, warnings: warnings)
            }
        case .needs(let requests):
            let count = companions.count + requests.count
            guard count > ProtocolLimits.companions else { return [.readingEnd(ReadingEnd(requests: requests))] }
            return try Self.result(
                refusing: .overLimit(
                    Place(file: content.name), what: "the number of files beside it", found: "\(count)",
                    limit: "\(ProtocolLimits.companions)"))
        }
    }

    /// What is wrong with a document is an answer, too: as it is, with the warnings before it.
    ///
    /// - Throws: `error` itself if it is not the document's.
    static func result(refusing error: EngineError, warnings: [String] = []) throws(EngineError) -> [ResultItem] {
        switch error {
        case .badInput, .overLimit, .io: [.readingEnd(ReadingEnd(warnings: warnings, failure: error))]
        case .unavailable, .cancelled, .internalError: throw error
        }
    }

    /// The blocks and the parts of the draft.
    private func items(of project: Project) throws(EngineError) -> [ResultItem] {
        var blocks: [EncodedBlock] = []
        let encoder = digestsStrokes ? BlockEncoder.standard.digestingStrokes : .standard
        let draft = try draft(of: project, encoder, &blocks)
        let sizes = Dictionary(blocks.map { ($0.id, $0.frame.count) }) { first, _ in first }
        return blocks.map { .block(Block(id: $0.id, frame: $0.frame)) } + (try items(of: draft, blocks: sizes))
    }

    /// The project, split into blocks for the picture that is wanted.
    func draft(
        of project: Project, _ encoder: BlockEncoder, _ blocks: inout [EncodedBlock]
    ) throws(EngineError) -> PictureDraft {
        let order = try PictureOrder(
            picture, of: project, software: software, limits: limits, place: Place(file: name))
        return try PictureDraft(
            project, order: order, name: name, limits: limits, encoder: encoder, blocks: &blocks)
    }

    /// The parts of a draft.
    ///
    /// - Parameter blocks: those that go with it, and the bytes of their frames.
    func items(of draft: PictureDraft, blocks: [BlockID: Int]) throws(EngineError) -> [ResultItem] {
        let place = Place(file: name)
        let asked = DraftOrder(name: name, picture: picture, software: software, limits: limits)
        // What the broker would not believe is the document's fault.
        if let fault = draft.fault(for: asked, blocks: blocks) { throw .badInput(place, reason: "holds \(fault)") }
        do throws(ProtocolError) {
            return try draft.encodedParts().map { part throws(ProtocolError) in .draft(try Block(content: part)) }
        } catch {
            guard case .overLimit(let what, let found, let limit) = error else {
                throw .internalError("a draft cannot be packed: \(error)")
            }
            throw .overLimit(
                place, what: "the \(what) of its picture", found: "\(found) bytes", limit: "\(limit) bytes")
        }
    }
}
