import InkCodecs
import InkEngine

/// A project file (`.ink`). One page.
struct InkDocument: DocumentReader {
    let endings = [".ink"]
    let isProject = true

    /// Text that begins like a JSON object.
    func recognizes(_ head: DocumentHead) -> Bool {
        head.bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        guard case .file(let bytes) = consume content else {
            throw .badInput(Place(file: name), reason: "is a folder, not an Ink project")
        }
        context.onText?(bytes)
        let head = Array(bytes.prefix(DocumentHead.bytesMax))
        let reading: ProjectReading
        do throws(EngineError) {
            reading = try ProjectReader.read(
                bytes, file: name, companions: context.companions, limits: context.limits, faults: context.faults)
        } catch {
            // Where it is wrong does not matter in what is no project.
            guard case .badInput = error else { throw error }
            if let foreign = ForeignFormat.name(ofText: TextEncoding.utf8(head)) {
                throw .badInput(Place(file: name), reason: "is \(foreign), not an Ink project")
            }
            let kind = (DocumentReaders.endings + DocumentReaders.pictureEndings).filter { !endings.contains($0) }
                .first { name.lowercased().hasSuffix($0) }
            if let kind {
                throw .badInput(
                    Place(file: name), reason: "is not what \(kind) says, and no other document that ink reads")
            }
            // A project begins with a brace, whatever is wrong with it.
            let text = TextEncoding.utf8(head)
            let isMarked = text.starts(with: [0xEF, 0xBB, 0xBF])
            let first = text.dropFirst(isMarked ? 3 : 0).first { !" \t\r\n".utf8.contains($0) }
            guard let first, first != UInt8(ascii: "{"), !text.contains(0), InputKind.name(of: text) == nil else {
                throw error
            }
            let what = TextEncoding(of: head).map { "text in \($0)" } ?? "plain text"
            throw .badInput(
                Place(file: name),
                reason: "is no document that ink knows: it is \(what). ink reads \(DocumentReaders.shownEndings), "
                    + "and pictures such as PNG, JPEG and SVG")
        }
        onPage(.success(DocumentPage(reading: reading)))
    }
}
