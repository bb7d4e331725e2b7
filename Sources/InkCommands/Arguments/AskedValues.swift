import InkDocuments
import InkEngine
import InkExports
import InkJSON
import InkProtocol
import InkSystem

/// Values of options that completions ask this program for, since they depend on files and brokers: a command that no help
/// shows. Whoever types waits for it, so it is quick, and it says nothing of errors.
enum AskedValues {
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Presets in files; those of the program are in the completions.
        case presets
        case layers
        case viewports
        case jobs
    }

    /// The name of the command: `ink __complete KIND WORD...`, with the words of the line that is completed.
    static let command = "__complete"

    /// Largest project that is read, bytes; larger ones take too long.
    private static let projectBytesMax = 64 << 20
    private static let projectsMax = 4
    private static let answerMilliseconds = 1000
    private static let jobsMax = 5000

    /// The values, each of which may be followed by a tab and a description.
    static func values(_ words: [String], _ environment: CommandEnvironment) -> [String] {
        guard let kind = words.first.flatMap(Kind.init) else { return [] }
        let line = Array(words.dropFirst()).filter { $0 != "=" }.map(unquoted)
        let found: [String]
        switch kind {
        case .presets: found = presets(line)
        case .layers: found = outlines(line, environment).flatMap(layers)
        case .viewports: found = outlines(line, environment).flatMap(\.viewports)
        // Without a broker there is nothing to complete, whatever the reason.
        case .jobs: found = (try? jobs(line, environment)) ?? []
        }
        var seen: Set<String> = []
        return found.filter { text in
            !text.isEmpty && text.replacing("\t", with: " ").escapingControls() == text.replacing("\t", with: " ")
                && seen.insert(text).inserted
        }
    }

    /// A word as the shell will read it, as far as names of files need it.
    private static func unquoted(_ word: String) -> String {
        var text = ""
        var isEscaped = false
        var quote: Character?
        for character in word {
            switch character {
            case _ where isEscaped: (isEscaped, text) = (false, text + String(character))
            case "\\" where quote != "'": isEscaped = true
            case "'" where quote != "\"", "\"" where quote != "'": quote = quote == nil ? character : nil
            default: text.append(character)
            }
        }
        return text
    }

    private static func values(of option: String, in line: [String]) -> [String] {
        line.indices.compactMap { index in
            if line[index] == option, index + 1 < line.count { return line[index + 1] }
            return line[index].hasPrefix(option + "=") ? String(line[index].dropFirst(option.count + 1)) : nil
        }
    }

    private static func presets(_ line: [String]) -> [String] {
        let builtIn = Set(BuiltInPresets.entries.map(\.id))
        // A folder that cannot be read has no presets to offer.
        let known = try? KnownPresets(folders: values(of: "--presets", in: line))
        return known?.entries.map(\.id).filter { !builtIn.contains($0) } ?? []
    }

    private static func outlines(_ line: [String], _ environment: CommandEnvironment) -> [ProjectOutline] {
        let paths = line.dropFirst().filter { path in
            // What cannot be looked at has nothing to offer.
            guard !path.isEmpty, !path.hasPrefix("-"), let status = try? FileSystem.status(path) else { return false }
            let isDocument = status.kind == .regular || ExportInput(path: path).isTemplateFolder
            return isDocument && FileSystem.byteCount(path) <= projectBytesMax
        }
        let opener = environment.exports.makeOpener(ReadingChoices(presetFolders: [], limits: Limits(), textUse: .none))
        // A project that cannot be read has no layers to offer.
        return paths.prefix(projectsMax).compactMap { try? opener.open(ExportInput(path: $0)).project }
            .map { ProjectOutline($0) }
    }

    /// By name, or by id without one, inside of groups as `group/layer`; without those that a list cannot name.
    private static func layers(_ outline: ProjectOutline) -> [String] {
        outline.layers.map { layer in
            (layer.groups.map { outline.layers[$0] } + [layer]).map { $0.name.isEmpty ? $0.id : $0.name }
                .joined(separator: "/")
        }.filter { !$0.contains(",") }
    }

    /// The states in which a job is something for a command.
    private static func states(for command: String?) -> [String]? {
        switch command {
        case "cancel", "pause", "priority": ["queued", "running", "paused"]
        case "resume": ["paused"]
        case "retry": ["failed", "cancelled"]
        case "purge": ["finished", "failed", "cancelled"]
        default: nil
        }
    }

    private static func jobs(_ line: [String], _ environment: CommandEnvironment) throws(CommandError) -> [String] {
        var given: [String: [String]] = [:]
        for setting in RemoteSetting.all where setting.kind != .flag {
            let values = values(of: "--\(setting.name)", in: line)
            if !values.isEmpty { given[setting.name] = values }
        }
        if line.contains("--insecure") { given["insecure"] = [] }
        var environment = environment
        environment.userSettings = try UserSettings.read(environment.variables)
        let options = try RemoteOptions(ParsedCommand(name: "jobs", values: given), environment)
        let connection = try options.connect(environment)
        defer { connection.stop() }
        let states = states(for: line.first)
        var jobs: [String] = []
        var isOver = false
        try JobPages.read(connection, timeoutMilliseconds: answerMilliseconds) { job throws(CommandError) in
            guard let number = job["job"]?.integer, let state = job["state"]?.string else { return }
            isOver = jobs.count >= jobsMax
            if isOver { return }
            guard states?.contains(state) ?? true else { return }
            let name = job["name"]?.string?.escapingControls() ?? ""
            jobs.append("\(number)\t\(state) \(name)")
        }
        return jobs
    }
}
