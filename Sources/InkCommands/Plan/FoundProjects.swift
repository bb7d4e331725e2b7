import InkEngine

/// The projects that a command line names, as far as planning has to know them. What cannot be found or read is said, and
/// the others go on.
struct FoundProjects {
    private(set) var inputs: [ExportInput] = []
    /// By input; only where planning needs them and the project could be read.
    private(set) var outlines: [Int: ProjectOutline] = [:]
    private(set) var failures: [(input: ExportInput, failure: PictureFailure)] = []
    private let arguments: ExportArguments
    private let console: Console

    /// - Parameter known: the inputs, where they need not be looked for.
    init(_ arguments: ExportArguments, known: [ExportInput]? = nil, console: Console) throws(CommandError) {
        self.arguments = arguments
        self.console = console
        if let known {
            inputs = known
        } else {
            var otherCount = 0
            let found = try InputFinder.find(arguments.paths) { otherCount = $0 }
            if otherCount > 0, !arguments.run.isQuiet {
                let files = otherCount == 1 ? "1 other file was" : "\(otherCount) other files were"
                console.note("\(files) skipped: only \(DocumentReaders.shownEndings) are read")
            }
            for item in found {
                switch item {
                case .input(let input): inputs.append(input)
                case .failure(let path, let error): fail(ExportInput(path: path), error)
                }
            }
        }
    }

    /// - Parameter opener: the one that reads the projects later: standard input can be read once.
    mutating func readOutlines(with opener: any ProjectOpener) {
        guard ExportPlan.needsOutlines(arguments) else { return }
        for (index, input) in inputs.enumerated() {
            do throws(EngineError) {
                let outline = ProjectOutline(try opener.open(input).project)
                try outline.check(arguments.layers, file: input.shownName)
                outlines[index] = outline
            } catch {
                fail(input, error)
            }
        }
    }

    private mutating func fail(_ input: ExportInput, _ error: EngineError) {
        console.error(error.description)
        failures.append((input, PictureFailure(error)))
    }
}
