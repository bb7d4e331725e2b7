import InkDocuments
import InkEngine
import InkExports
import InkJSON

/// What is known about a score of a pipe band.
struct ScoreInspection: Inspection {
    let input: ExportInput
    let warnings: [ReadingWarning]
    let refusals: [PictureFailure]
    private let reading: ScoreReading

    /// Reads a score; nil for a file that is none, and for standard input.
    init?(_ input: ExportInput, limits: Limits) throws(EngineError) {
        guard !input.isStandardInput,
            // What cannot be read here is reported by the reader of projects.
            let bytes = try? InputFile.read(path: input.path, limitBytes: ScoreFile.bytesMax),
            ScoreFile.isScore(bytes, name: input.path)
        else { return nil }
        reading = try ScoreFile.read(bytes, name: input.shownName, limits: limits)
        self.input = input
        warnings = reading.warnings
        refusals = reading.errors(file: input.shownName).map { PictureFailure($0) }
    }

    private struct Counts {
        var lines = 0
        var bars = 0
        var notes = 0
        var gracenotes = 0

        init(_ parts: [Part]) {
            for system in parts.flatMap(\.systems) {
                lines += 1
                for measure in system.measures {
                    bars += 1
                    let pipes = measure.bagpipes + measure.bagpipesSeconds
                    notes += pipes.count + measure.snareDrum.count
                    gracenotes += pipes.reduce(0) { $0 + ($1.embellishment?.graceNotes.count ?? 0) }
                }
            }
        }

        var text: String {
            [(lines, "line"), (bars, "bar"), (notes, "note"), (gracenotes, "gracenote")].map(counted)
                .joined(separator: ", ")
        }

        var json: JSONValue {
            [
                "lines": .integer(lines), "bars": .integer(bars), "notes": .integer(notes),
                "gracenotes": .integer(gracenotes),
            ]
        }
    }

    var text: String {
        let tunes = reading.document.tunes
        var lines = [input.shownName, "  score of \(counted(tunes.count, "tune"))"]
        for (index, tune) in tunes.enumerated() {
            let metadata = tune.metadata
            let facts = [metadata.typeText ?? metadata.tuneType.text, metadata.composer ?? "", time(of: tune)]
            let shown = ([counted(tune.parts.count, "part"), Counts(tune.parts).text] + facts).filter { !$0.isEmpty }
            lines.append("  tune \(index + 1) \"\(metadata.title)\": \(shown.joined(separator: ", "))")
            for part in tune.parts { lines.append("    part \(part.partLetter): \(Counts([part]).text)") }
        }
        for warning in warnings { lines.append("  warning: \(warning)") }
        for refusal in refusals { lines.append("  refused: " + refusal.reason) }
        return lines.map { $0.escapingControls() }.joined(separator: "\n")
    }

    /// The first time signature of a tune; empty where it has none.
    private func time(of tune: Tune) -> String {
        let first = tune.systems.lazy.flatMap(\.measures).compactMap(\.timeSignature).first
        return first.map { "\($0.numerator)/\($0.denominator)" } ?? ""
    }

    var json: JSONValue {
        [
            "input": .string(input.path), "name": .string(reading.document.metadata.title),
            "tunes": .array(
                reading.document.tunes.map { tune in
                    [
                        "title": .string(tune.metadata.title), "type": .string(tune.metadata.tuneType.rawValue),
                        "composer": .optional(tune.metadata.composer), "tempo": .optional(tune.metadata.tempo),
                        "time": .string(time(of: tune)),
                        "parts": .array(
                            tune.parts.map { part in
                                ["letter": .string(part.partLetter)] + Counts([part]).json
                            }),
                    ] + Counts(tune.parts).json
                }),
            "problems": .array(
                reading.problems.map { problem in
                    [
                        "code": .string(problem.code.rawValue), "tune": .optional(problem.tune.map { $0 + 1 }),
                        "place": .optional(problem.position?.text), "token": .string(problem.token),
                        "reason": .string(problem.reason),
                    ]
                }),
            "warnings": .lines(warnings),
            "refused": .array(refusals.map { .string($0.reason) }),
        ]
    }
}
