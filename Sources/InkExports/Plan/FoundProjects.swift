import InkEngine
import InkSystem

/// The projects that a command line names, as far as planning needs them. Those that cannot be found or read are
/// reported; the others continue.
package struct FoundProjects {
    package private(set) var inputs: [ExportInput] = []
    /// By input; present if planning needs them and the project could be read.
    package private(set) var outlines: [Int: ProjectOutline] = [:]
    /// The project, if it is the only one and planning needs its outline: it need not be read again.
    package private(set) var only: OpenedProject?
    package private(set) var failures: [(input: ExportInput, failure: PictureFailure)] = []
    /// Files in searched folders that are not among the inputs.
    package private(set) var skipped = SkippedFiles()
    private let arguments: ExportArguments
    private let observer: (any ExportObserver)?

    /// - Parameter known: the inputs, if they are known already.
    package init(
        _ arguments: ExportArguments, known: [ExportInput]? = nil, observer: (any ExportObserver)?
    ) throws(ExportError) {
        self.arguments = arguments
        self.observer = observer
        if let known {
            inputs = known
        } else {
            let found = try InputFinder.find(
                arguments.paths, photos: arguments.photos, takesDocuments: arguments.takesDocuments,
                onSkipped: { skipped = $0 })
            if !skipped.isEmpty { observer?.skipped(skipped) }
            for item in found {
                switch item {
                case .input(let input): inputs.append(input)
                case .failure(let path, let error): fail(ExportInput(path: path), error)
                }
            }
        }
    }

    /// Also those of other parts of a run, where only their contents tell whether names are each other's.
    ///
    /// - Parameter opener: also reads the projects later, because standard input can be read only once.
    package mutating func readOutlines(with opener: any ProjectOpener) {
        let shard = arguments.run.shard
        var ambiguous: Set<Int> = []
        if shard != nil { ambiguous = Shard.ambiguous(inputs, arguments) { FileSystem.resolved($0) } }
        for (index, input) in inputs.enumerated() where ExportPlan.needsOutline(of: input, arguments) {
            let isOwn = shard?.contains(input) ?? true
            guard isOwn || ambiguous.contains(index) else { continue }
            do throws(EngineError) {
                let opened = try opener.open(input)
                if inputs.count == 1 { only = opened }
                let outline = ProjectOutline(opened.project)
                try outline.check(arguments, file: input.shownName)
                outlines[index] = outline
            } catch {
                // That of another part is reported there.
                if isOwn { fail(input, error) }
            }
        }
    }

    private mutating func fail(_ input: ExportInput, _ error: EngineError) {
        observer?.error(error.advised)
        failures.append((input, PictureFailure(error)))
    }
}
