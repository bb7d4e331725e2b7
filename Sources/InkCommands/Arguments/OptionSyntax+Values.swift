import InkEngine

/// The possible values of an option, for completions.
enum OptionValues: Hashable, Sendable {
    /// Values that cannot be listed.
    case any
    case files
    case folders
    case words([String])
}

extension OptionSyntax {
    /// `["-o", "--output"]`.
    var spellings: [String] { names.split(separator: ",").map(String.init) }

    var isOption: Bool { names.hasPrefix("-") }

    /// - Parameter program: supplies the names of commands.
    func completedValues(in program: ProgramSyntax) -> OptionValues {
        switch key {
        case "size": return .words(["1080p", "2k", "4k", "8k", "1x", "2x"])
        case "brush": return .words(BrushType.allCases.map(\.rawValue) + BuiltInPresets.entries.map(\.id))
        case "ACTION": return .words(PresetCommand.actions)
        case "PRESET": return .words(BuiltInPresets.entries.map(\.id))
        case "log-level": return .words(LogLevel.allCases.map(\.rawValue))
        case "fill": return .words(["suggested"])
        case "priority", "PRIORITY": return .words(["bulk", "normal", "urgent"])
        case "COMMAND": return .words(program.topCommands.map(\.name))
        case "SHELL": return .words(CompletionScript.shells)
        case "PATH", "PROJECT", "PICTURE", "TEMPLATE", "ARCHIVE": return .files
        default: break
        }
        if shown.contains("NAME.") { return .files }
        let parts = shown.split(separator: "|").map(String.init)
        if parts.count > 1, parts.allSatisfy({ $0 == $0.lowercased() }) { return .words(parts) }
        if parts.contains("FILE") || parts.contains("PATH") || key == "FILE" { return .files }
        return parts.contains("DIR") ? .folders : .any
    }
}
