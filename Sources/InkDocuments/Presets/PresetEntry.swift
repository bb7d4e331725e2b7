public import InkEngine

/// A brush preset as a list shows it.
public struct PresetEntry: Sendable {
    public var id: String
    /// As an app shows it; empty for none.
    public var name: String
    /// The path of its file; nil for a preset of this program.
    public var file: String?
    /// The brush of a stroke that gives no settings of its own, or why the preset cannot be used.
    public var brush: Result<Brush, EngineError>

    init(id: String, file: String?, _ preset: Result<BrushPreset, EngineError>) {
        self.id = id
        self.file = file
        // The error of an unusable preset is kept in place of its brush.
        name = (try? preset.get())?.name ?? ""
        brush = preset.map { BrushSettings.brush(of: [$0.settings]) }
    }

    /// The JSON of the preset.
    ///
    /// - Throws: as reading a file.
    public func text(limits: Limits = Limits()) throws(EngineError) -> [UInt8] {
        if let file { return try InputFile.read(path: file, limitBytes: limits.fileBytes) }
        return Array((BuiltInPresets.texts.first { $0.id == id }?.text ?? "").utf8)
    }
}
