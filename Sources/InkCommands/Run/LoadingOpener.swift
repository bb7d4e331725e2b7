import InkEngine
import Synchronization

/// Reads projects from disk and standard input.
final class LoadingOpener: ProjectOpener {
    private let presetFolders: [String]
    private let limits: Limits
    // Standard input can be read once, and names may need the project before it is rendered.
    private let standardInput = Mutex<OpenedProject?>(nil)

    init(presetFolders: [String], limits: Limits) {
        self.presetFolders = presetFolders
        self.limits = limits
    }

    func open(_ input: ExportInput) throws(EngineError) -> OpenedProject {
        guard input.isStandardInput else {
            return OpenedProject(
                try ProjectLoader.load(path: input.path, presetFolders: presetFolders, limits: limits))
        }
        return try standardInput.withLock { (kept: inout OpenedProject?) throws(EngineError) in
            if let kept { return kept }
            let bytes = try InputFile.readStandardInput(limitBytes: limits.fileBytes)
            let opened = OpenedProject(
                try ProjectLoader.load(bytes: bytes, presetFolders: presetFolders, limits: limits))
            kept = opened
            return opened
        }
    }
}

extension OpenedProject {
    fileprivate init(_ reading: ProjectReading) {
        self.init(project: reading.project, warnings: reading.warnings, contentDigest: reading.contentDigest)
    }
}
