import InkDocuments
import InkEngine
import Synchronization

/// Reads projects from disk and standard input.
final class LoadingOpener: ProjectOpener {
    private let choices: ReadingChoices
    // Standard input can be read only once, and names may need the project before it is rendered.
    private let standardInput = Mutex<OpenedProject?>(nil)
    /// What was read from standard input and is no project.
    private let refused = Mutex<[UInt8]>([])

    init(_ choices: ReadingChoices) { self.choices = choices }

    func open(_ input: ExportInput) throws(EngineError) -> OpenedProject {
        guard input.isStandardInput else {
            return try opened { onText throws(EngineError) in
                try ProjectLoader.load(
                    path: input.path, presetFolders: choices.presetFolders, limits: choices.limits,
                    takesMerged: choices.takesMerged, brush: choices.brush, paper: choices.paper, onText: onText)
            }
        }
        return try standardInput.withLock { (kept: inout OpenedProject?) throws(EngineError) in
            if let kept { return kept }
            let bytes = try InputFile.readStandardInput(limitBytes: choices.limits.fileBytes)
            do throws(EngineError) {
                let opened = try opened { onText throws(EngineError) in
                    try ProjectLoader.load(
                        bytes: bytes, presetFolders: choices.presetFolders, limits: choices.limits,
                        takesMerged: choices.takesMerged, brush: choices.brush, paper: choices.paper, onText: onText)
                }
                kept = opened
                return opened
            } catch {
                refused.withLock { $0 = bytes }
                throw error
            }
        }
    }

    func faults(of input: ExportInput) -> FaultList {
        guard input.isStandardInput else {
            return ProjectLoader.faults(
                path: input.path, presetFolders: choices.presetFolders, limits: choices.limits)
        }
        return ProjectLoader.faults(
            bytes: refused.withLock { $0 }, presetFolders: choices.presetFolders, limits: choices.limits)
    }

    private func opened(
        _ load: (_ onText: (([UInt8]) -> Void)?) throws(EngineError) -> ProjectReading
    ) throws(EngineError) -> OpenedProject {
        var text: PackedText?
        let use = choices.textUse
        let reading = try load(use == .none ? nil : { text = PackedText($0, startsAtOnce: use == .packedAtOnce) })
        return OpenedProject(
            project: reading.project, warnings: reading.warnings, contentDigest: reading.contentDigest,
            // The text says nothing of the paper.
            text: reading.isSelfContained && choices.paper == PaperChoice() ? text : nil,
            namesFiles: !reading.isSelfContained)
    }
}
