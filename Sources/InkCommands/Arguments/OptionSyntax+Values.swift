import InkCodecs
import InkDocuments
import InkEngine

/// The possible values of an option, for completions.
enum OptionValues: Hashable, Sendable {
    /// Values that cannot be listed.
    case any
    case files
    case folders
    /// These, and those that the program finds when it is asked.
    ///
    /// - Parameter isList: whether there may be several with commas between them.
    case words([String], isList: Bool = false, asked: AskedValues.Kind? = nil)
}

extension OptionSyntax {
    /// `["-o", "--output"]`.
    var spellings: [String] { names.split(separator: ",").map(String.init) }

    var isOption: Bool { names.hasPrefix("-") }

    /// Whether its value is a list with commas.
    private var isList: Bool { shown.hasSuffix(",...") }

    /// - Parameter program: supplies the names of commands.
    func completedValues(in program: ProgramSyntax) -> OptionValues {
        switch key {
        case "size" where isList: return .words(["1080p", "2k", "4k", "8k", "1x", "2x"], isList: true)
        case "layers": return .words([], isList: true, asked: .layers)
        case "viewport": return .words([], asked: .viewports)
        case "JOB": return .words([], asked: .jobs)
        case "brush":
            let types = BrushType.allCases.map(\.rawValue)
            return shown.contains("PRESET")
                ? .words(types + BuiltInPresets.entries.map(\.id), asked: .presets) : .words(types)
        case "ACTION": return .words(PresetCommand.actions)
        case "PRESET": return .words(BuiltInPresets.entries.map(\.id), asked: .presets)
        case "log-level": return .words(LogLevel.allCases.map(\.rawValue))
        case "keep": return .words(MetadataKinds.named.map(\.name) + ["all"])
        case "fill": return .words(["suggested"])
        case "priority", "PRIORITY": return .words(["bulk", "normal", "urgent"])
        case "COMMAND": return .words(program.topCommands.map(\.name))
        case "SHELL": return .words(CompletionScript.shells)
        case "PATH", "PROJECT", "PICTURE", "TEMPLATE", "ARCHIVE", "REPORT": return .files
        default: break
        }
        if shown.contains("NAME.") { return .files }
        let parts = (isList ? shown.dropLast(4) : shown[...]).split(separator: "|").map(String.init)
        if parts.count > 1, parts.allSatisfy({ $0 == $0.lowercased() }) { return .words(parts, isList: isList) }
        if parts.contains("FILE") || parts.contains("PATH") || key == "FILE" { return .files }
        return parts.contains("DIR") ? .folders : .any
    }
}
