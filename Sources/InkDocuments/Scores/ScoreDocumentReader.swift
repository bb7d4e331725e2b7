import InkEngine

/// Pipe band scores: `.bww` and `.bmw` of Bagpipe Player and its kin. Each page is a picture.
struct ScoreFileDocument: FileDocumentReader {
    let what = "a pipe band score"
    let label = "score"
    let endings = [".bww", ".bmw"]
    let mayHavePages = true

    func recognizes(_ head: DocumentHead) -> Bool {
        let name = head.name.lowercased()
        guard !head.isFolder, !head.bytes.isEmpty else { return false }
        let text = head.bytes.drop { " \t\r\n".utf8.contains($0) }
        if Self.signatures.contains(where: { text.starts(with: $0.utf8) }) { return true }
        return endings.contains { name.hasSuffix($0) } && InputKind.name(of: head.bytes) == nil
    }

    private static let signatures = ["Bagpipe Reader:", "Bagpipe Music Writer", "Bagpipe Musicworks", "Bagpipe Player"]

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        var reading = try BWWReader.read(bytes, name: place.file)
        let format = PageFormat(reading.document.documentLayout, file: reading.document.tunes.first?.filePage)
        let pages = ScorePages(&reading, format: format)
        var warnings = Warnings()
        for problem in reading.problems where !problem.code.isError {
            warnings.add(.other, at: problem.position?.text, "\(problem.reason) (\(problem.code.rawValue))")
        }
        return (pages.project, warnings.all)
    }
}
