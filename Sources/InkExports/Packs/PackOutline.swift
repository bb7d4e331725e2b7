import InkDocuments
package import InkEngine

/// What would be made of a pack, and what would stop it; nothing is rendered or written.
package struct PackOutline: Sendable {
    /// A bundle that would be made.
    package struct Bundle: Sendable {
        package var target: String
        /// The file name of its archive.
        package var archive: String
        package var itemCount: Int
        package var fileCount: Int
    }

    package private(set) var bundles: [Bundle] = []
    package private(set) var warnings: [ReadingWarning]
    /// In the order of the pack's targets, each once.
    package private(set) var refusals: [PictureFailure] = []

    /// Plans each target of a pack by itself, so that a mistake in one does not hide those of others.
    package init(_ input: ExportInput, _ project: OpenedProject, limits: Limits) {
        warnings = project.warnings
        var names: [String] = []
        for target in project.project.pack?.targets ?? [] where !names.contains(target.target) {
            names.append(target.target)
        }
        for name in names {
            var arguments = PackArguments(paths: [input.path], output: nil, run: RunArguments())
            arguments.targets = [name]
            do throws(PackFailure) {
                add(try PackJob(input, arguments, project: project, limits: limits))
            } catch {
                refuse(error)
            }
        }
    }

    private mutating func add(_ job: PackJob) {
        var seen = Set(warnings)
        for warning in job.warnings where seen.insert(warning).inserted { warnings.append(warning) }
        for planned in job.bundles {
            let bundle = planned.bundle
            bundles.append(
                Bundle(
                    target: bundle.source.recipe.name, archive: bundle.archive, itemCount: bundle.items.count,
                    fileCount: bundle.files.count))
            for case .copy(let copy) in bundle.files.map(\.content) {
                do throws(EngineError) { _ = try job.bytes(of: copy) } catch { refuse(PictureFailure(error)) }
            }
        }
    }

    private mutating func refuse(_ failure: PictureFailure) {
        if !refusals.contains(failure) { refusals.append(failure) }
    }
}
