/// Defaults of `ink export` in the user's config file. Each has the name, value and help of the option it replaces.
enum ExportSetting {
    static let all: [SettingSyntax] = [
        setting("size", .text(bytesMax: 1024)),
        setting("name", .text(bytesMax: 1024)),
        setting("background", .text(bytesMax: 32)),
        setting("fill", .text(bytesMax: 32)),
        setting("dpi", .text(bytesMax: 32)),
        setting("rgb", .flag),
        setting("rgba", .flag),
        setting("format", .text(bytesMax: 32)),
        setting("effort", .text(bytesMax: 32)),
        setting("quality", .text(bytesMax: 32)),
        setting("max-bytes", .text(bytesMax: 32)),
        setting("chroma", .text(bytesMax: 32)),
        setting("compression", .text(bytesMax: 32)),
        setting("bleed", .text(bytesMax: 32)),
        setting("tile-size", .text(bytesMax: 32)),
        setting("tile-overlap", .text(bytesMax: 32)),
        setting("no-metadata", .flag),
        setting("keep", .text(bytesMax: 256)),
        setting("workers", .text(bytesMax: 32)),
        setting("cache", .path),
        setting("cache-size", .text(bytesMax: 32)),
        setting("if-exists", .text(bytesMax: 32)),
        setting("fail-fast", .flag),
        setting("strict", .flag),
        setting("limits", .path),
        setting("presets", .path, isList: true),
        setting("quiet", .flag),
        setting("progress", .text(bytesMax: 32)),
    ]

    private static func setting(_ name: String, _ kind: SettingKind, isList: Bool = false) -> SettingSyntax {
        guard let option = CommandSyntax.export.options.first(where: { $0.key == name }) else {
            preconditionFailure("ink export has no option --\(name)")
        }
        return SettingSyntax(name, kind, option.shown, isList: isList, option.help)
    }
}
