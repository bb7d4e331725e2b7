/// Defaults of `ink export` in the user's config file. Each has the name, value and help of the option it replaces.
enum ExportSetting {
    static let all = [
        "size", "name", "background", "fill", "dpi", "rgb", "rgba", "format", "effort", "quality", "max-bytes",
        "chroma",
        "compression", "bleed", "tile-size", "tile-overlap", "no-metadata", "keep", "workers", "cache", "cache-size",
        "if-exists", "fail-fast", "strict", "limits", "presets", "quiet", "progress",
    ].map { name in
        guard let option = CommandSyntax.export.options.first(where: { $0.key == name }) else {
            preconditionFailure("ink export has no option --\(name)")
        }
        let isPath = option.shown == "DIR" || option.shown == "FILE"
        return SettingSyntax(
            name, option.kind == .flag ? .flag : isPath ? .path : .text(bytesMax: 1024), option.shown,
            isList: name == "presets", option.help)
    }
}
