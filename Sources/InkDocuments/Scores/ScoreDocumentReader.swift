import InkEngine

/// Scores of pipe bands. Each page is a picture.
struct ScorePagesDocument: FileDocumentReader {
    let what = "a pipe band score"
    let label = "score"
    let endings = ScoreFormat.allCases.flatMap(\.endings)
    let mayHavePages = true
    let hasPaper = true

    func recognizes(_ head: DocumentHead) -> Bool { ScoreFormat(head) != nil }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        var reading = try ScoreFile.read(bytes, name: place.file, limits: context.limits)
        let format = PageFormat(
            reading.document.documentLayout, file: reading.document.tunes.first?.filePage, context.paper)
        let pages = ScorePages(&reading, format: format)
        var warnings = Warnings()
        for problem in reading.problems where !problem.code.isError {
            warnings.add(.other, at: problem.position?.text, "\(problem.reason) (\(problem.code.rawValue))")
        }
        return (pages.project, warnings.all)
    }
}
