import InkEngine
import InkExports

/// Where a setting's value comes from.
enum SettingSource: Hashable, Sendable {
    case flag
    case variable
    case file(String, line: Int)
    case standard
}

/// The settings of a command, from all places and checked one by one: a flag wins over the environment, that over the
/// file, that over the default.
struct Settings: Sendable {
    private struct Entry: Hashable, Sendable {
        var values: [SettingValue]
        var source: SettingSource
    }

    let syntax: [SettingSyntax]
    private var entries: [String: Entry] = [:]

    /// - Parameters:
    ///   - parsed: the command line; `config` in it names a file, as does `INK_CONFIG`.
    ///   - variables: the environment; an empty variable counts as none.
    ///   - readFile: all bytes of a file.
    /// - Throws: `usage` for a bad flag, `configuration` for a bad variable, file or line, `engine` when the file cannot
    ///   be read.
    init(
        _ syntax: [SettingSyntax], parsed: ParsedCommand, variables: [String: String],
        readFile: (String) throws(EngineError) -> [UInt8]
    ) throws(CommandError) {
        var file: SettingsFile?
        if let path = parsed.value("config") ?? variables["INK_CONFIG"], !path.isEmpty {
            let bytes = try CommandError.wrapping(try readFile(path))
            file = try SettingsFile(path: path, bytes: bytes, settings: syntax)
        }
        try self.init(syntax, parsed: parsed, variables: variables, file: file)
    }

    /// - Parameter file: may also have lines of other settings.
    /// - Throws: `usage` for a bad flag, `configuration` for a bad variable or line.
    init(
        _ syntax: [SettingSyntax], parsed: ParsedCommand, variables: [String: String], file: SettingsFile?
    ) throws(CommandError) {
        self.syntax = syntax
        for setting in syntax {
            if let entry = try Self.entry(setting, parsed: parsed, variables: variables, file: file) {
                entries[setting.name] = entry
            }
        }
    }

    private static func entry(
        _ setting: SettingSyntax, parsed: ParsedCommand, variables: [String: String], file: SettingsFile?
    ) throws(CommandError) -> Entry? {
        func values(_ texts: [String], isFlag: Bool = false, _ place: (Int) -> String) throws(CommandError)
            -> [SettingValue]
        {
            var values: [SettingValue] = []
            for (index, text) in texts.enumerated() {
                do {
                    values.append(try setting.kind.read(text))
                } catch {
                    throw .refused(isFlag ? .usage : .configuration, place: place(index), Cause(error))
                }
            }
            return values
        }
        // Every place is checked, even if another one wins: a wrong value is always an error.
        let lines = file?.lines.filter { $0.name == setting.name } ?? []
        let fromFile = try values(lines.map(\.value)) {
            "\(file?.path ?? ""): line \(lines[$0].number): \(setting.name)"
        }
        let variable = variables[setting.variable].flatMap { $0.isEmpty ? nil : $0 }
        let texts = variable.map { text in
            setting.isList ? text.split(separator: ":").map(String.init) : [text]
        }
        let fromVariable = try values(texts ?? []) { _ in setting.variable }
        let flags = parsed.isGiven(setting.name) ? setting.kind == .flag ? ["true"] : parsed.all(setting.name) : []
        let fromFlag = try values(flags, isFlag: true) { _ in "--\(setting.name)" }

        if !fromFlag.isEmpty { return Entry(values: fromFlag, source: .flag) }
        if !fromVariable.isEmpty { return Entry(values: fromVariable, source: .variable) }
        if let line = lines.first, let path = file?.path {
            return Entry(values: fromFile, source: .file(path, line: line.number))
        }
        guard let standard = setting.standard else { return nil }
        return Entry(values: try values([standard]) { _ in "the default of \(setting.name)" }, source: .standard)
    }

    /// Variables that start with `INK_` but are not settings.
    static func unknownVariables(_ variables: [String: String], known: [SettingSyntax]) -> [String] {
        let names = Set(known.map(\.variable) + ["INK_CONFIG", KernelLevel.variable])
        return variables.keys.filter { $0.hasPrefix("INK_") && !names.contains($0) }.sorted()
    }
}

// MARK: - Typed access

extension Settings {
    func source(_ setting: SettingSyntax) -> SettingSource? { entries[setting.name]?.source }
    func isSet(_ setting: SettingSyntax) -> Bool { entries[setting.name] != nil }

    /// The origin of a value in messages: `--key`, `INK_KEY`, `broker.conf: line 3: key`.
    func place(_ setting: SettingSyntax) -> String {
        switch source(setting) {
        case .flag, .standard, nil: "--\(setting.name)"
        case .variable: setting.variable
        case .file(let path, let line): "\(path): line \(line): \(setting.name)"
        }
    }

    /// The error for a value that conflicts with others.
    func refusal(_ setting: SettingSyntax, _ reason: String) -> CommandError {
        let message = "\(place(setting)): \(reason)"
        switch source(setting) {
        case .variable, .file: return .configuration(message)
        case .flag, .standard, nil: return .usage(message)
        }
    }

    func text(_ setting: SettingSyntax) -> String? { texts(setting).last }

    func texts(_ setting: SettingSyntax) -> [String] {
        values(setting).map { value in
            guard case .text(let text) = value else { Self.mismatch(setting) }
            return text
        }
    }

    /// The last value, of the kind that `kind` takes.
    private func last<T>(_ setting: SettingSyntax, _ kind: (SettingValue) -> T?) -> T? {
        guard let value = values(setting).last else { return nil }
        guard let found = kind(value) else { Self.mismatch(setting) }
        return found
    }

    func count(_ setting: SettingSyntax) -> Int? {
        last(setting) { if case .count(let count) = $0 { count } else { nil } }
    }

    func bytes(_ setting: SettingSyntax) -> Int? {
        last(setting) { if case .bytes(let bytes) = $0 { bytes } else { nil } }
    }

    func milliseconds(_ setting: SettingSyntax) -> Int? {
        last(setting) { if case .milliseconds(let time) = $0 { time } else { nil } }
    }

    func share(_ setting: SettingSyntax) -> Double? {
        last(setting) { if case .share(let share) = $0 { share } else { nil } }
    }

    func isOn(_ setting: SettingSyntax) -> Bool { values(setting).last == .on(true) }

    func values(_ setting: SettingSyntax) -> [SettingValue] { entries[setting.name]?.values ?? [] }

    private static func mismatch(_ setting: SettingSyntax) -> Never {
        preconditionFailure("\(setting.name) has another kind of value")
    }
}

// MARK: - As text

extension Settings {
    /// The settings as a settings file, with the origin of each value. Key files are named, never read.
    var effectiveText: String {
        let lines: [(text: String, note: String)] = syntax.flatMap { setting in
            guard let entry = entries[setting.name] else {
                let note = setting.standardShown.map { ": \($0)" } ?? ""
                return [("# \(setting.name) =", "not set\(note)")]
            }
            let note =
                switch entry.source {
                case .flag: "--\(setting.name)"
                case .variable: setting.variable
                case .file(let path, let line): "\(path.escapingControls()):\(line)"
                case .standard: "default"
                }
            return entry.values.map { ("\(setting.name) = \(SettingsFile.quoted($0.text))", note) }
        }
        let width = min(48, lines.map(\.text.count).max() ?? 0)
        return lines.map { line in
            line.text + String(repeating: " ", count: max(0, width - line.text.count)) + "  # " + line.note
        }.joined(separator: "\n")
    }
}
