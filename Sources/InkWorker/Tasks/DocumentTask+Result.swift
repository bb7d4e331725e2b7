import InkEngine
import InkPlanning
import InkProtocol

extension DocumentTask {
    /// What a worker gives back.
    ///
    /// - Parameter reading: what has come of reading the document.
    /// - Throws: input errors.
    func result(of reading: DocumentTaskReading) throws(EngineError) -> [ResultItem] {
        let (project, warnings): (Project, [String])
        switch reading {
        case .needs(let requests): return [.readingEnd(ReadingEnd(requests: requests))]
        case .read(let found, let lines): (project, warnings) = (found, lines)
        }
        let place = Place(file: name)
        let order = try PictureOrder(picture, of: project, software: software, limits: limits, place: place)
        var blocks: [EncodedBlock] = []
        let draft = try PictureDraft(
            project, order: order, name: name, limits: limits,
            encoder: digestsStrokes ? BlockEncoder.standard.digestingStrokes : .standard, blocks: &blocks)
        let sizes = Dictionary(blocks.map { ($0.id, $0.frame.count) }) { first, _ in first }
        let asked = DraftOrder(name: name, picture: picture, software: software, limits: limits)
        // What the broker would not believe is the document's fault.
        if let fault = draft.fault(for: asked, blocks: sizes) { throw .badInput(place, reason: "holds \(fault)") }
        do throws(ProtocolError) {
            let parts = try draft.encodedParts().map { part throws(ProtocolError) in
                ResultItem.draft(try Block(content: part))
            }
            return blocks.map { .block(Block(id: $0.id, frame: $0.frame)) } + parts
                + [.readingEnd(ReadingEnd(warnings: warnings))]
        } catch {
            throw .internalError("a draft cannot be packed: \(error)")
        }
    }
}
