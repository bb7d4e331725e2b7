public import InkEngine

/// A project that has been read, with its warnings.
public struct ProjectReading: Sendable {
    public var project: Project
    /// What was repaired or ignored. Equal warnings are merged, and there are at most 101.
    public var warnings: [ReadingWarning]
    /// SHA-256 of all bytes that the picture depends on: the project file or the used files of a template, and the used
    /// presets. 32 bytes. Equal digests mean equal input, wherever it is.
    public var contentDigest: [UInt8]
    /// Whether the text is complete: it is a project's, and no stroke names a preset.
    public var isSelfContained = false
}

/// What reading gave with the companions that were given.
public enum ReadingRound: Sendable {
    case read(ProjectReading)
    /// The companions that are asked for next, each once. With their answers it is read again.
    case needs([CompanionName])
}
