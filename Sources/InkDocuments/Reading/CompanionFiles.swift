public import InkEngine

/// Finds the files that a document needs beside its own bytes. Readers open none themselves.
public protocol CompanionFiles: Sendable {
    /// What a name stands for; nil where that is not known yet. Reading then goes on without it, so that the reader
    /// asks for everything else too, and what it gives is worth nothing.
    ///
    /// - Parameters:
    ///   - name: of the companion.
    ///   - limitBytes: a larger file is an error.
    /// - Throws: `io`, `badInput` for what is no regular file or lies behind a link, `overLimit`.
    func answer(to name: CompanionName, limitBytes: Int) throws(EngineError) -> CompanionAnswer?
}

/// What the name of a companion stands for.
public enum CompanionAnswer: Hashable, Sendable {
    /// A file: its bytes, and its path for messages.
    case file([UInt8], path: String)
    /// There is no such file.
    case missing
    /// The document has no folder that a file could lie in.
    case nowhere
    /// The answer to `CompanionName.Kind.presetFolders`: in the order in which they are searched.
    case presetFolders([PresetFolder])

    /// The bytes of a file; nil for anything else.
    var bytes: [UInt8]? {
        guard case .file(let bytes, _) = self else { return nil }
        return bytes
    }
}

/// A folder that was searched for brush presets.
public struct PresetFolder: Hashable, Sendable {
    /// As messages name it.
    public var path: String
    /// Whether it lies beside the project, where there may be none.
    public var isBeside: Bool
    /// The names of the files in it that may be presets, in order.
    public var files: [String]

    public init(path: String, isBeside: Bool, files: [String]) {
        self.path = path
        self.isBeside = isBeside
        self.files = files
    }

    /// Whether a file of this name may be a preset.
    static func isPreset(_ name: String) -> Bool { name.hasSuffix(".json") && !name.hasPrefix(".") }
}
