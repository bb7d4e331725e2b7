import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkJSON
import InkSystem

/// The presets that a command can choose from: those of `--presets`, of the folder `brushes` here, and of the program.
struct KnownPresets {
    /// In the order in which they are looked up.
    let entries: [PresetEntry]

    /// - Throws: if a folder of `--presets` cannot be read.
    init(folders: [String], limits: Limits = Limits()) throws(CommandError) {
        try FileSystem.checkPresetFolders(folders)
        let library = PresetLibrary(FolderCompanions(projectFolders: [""], presetFolders: folders), limits: limits)
        var entries = try CommandError.wrapping(try library.entries())
        // A changed copy of a preset of the program takes its place.
        let ids = Set(entries.map(\.id))
        entries += BuiltInPresets.entries.filter { !ids.contains($0.id) }
        self.entries = entries
    }

    /// The preset with that id or name; nil for none.
    func preset(_ text: String) -> PresetEntry? {
        entries.first { $0.id == text } ?? entries.first { $0.name.lowercased() == text.lowercased() }
    }

    /// An error about a preset that there is not.
    func missing(_ text: String) -> CommandError {
        .usage(
            "there is no preset \"\(text)\"\(didYouMean(text, among: entries.map(\.id))) "
                + "(\"ink preset list\" lists them)")
    }
}

/// `ink preset`: lists brush presets, prints them, and draws a stroke with them.
struct PresetCommand {
    private let parsed: ParsedCommand
    private let presets: KnownPresets
    private let environment: CommandEnvironment
    private var console: Console { environment.console }

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard let action = parsed.value("ACTION") else {
            throw .usage("list, show or preview is needed (see \"ink help preset\")")
        }
        guard let options = optionsOfActions.first(where: { $0.action == action })?.options else {
            throw .usage("\"\(action)\" is not \(actions.joined(separator: ", "))\(didYouMean(action, among: actions))")
        }
        for option in ["PRESET", "json", "output", "size", "if-exists", "quiet"]
        where parsed.isGiven(option) && !options.contains(option) {
            throw .usage("ink preset \(action) takes no \(option == "PRESET" ? "PRESET" : "--\(option)")")
        }
        let command = PresetCommand(
            parsed: parsed, presets: try KnownPresets(folders: parsed.all("presets")), environment: environment)
        switch action {
        case "list": return try command.list()
        case "show": return try command.show()
        default: return try command.preview()
        }
    }

    private static let optionsOfActions: [(action: String, options: Set<String>)] = [
        ("list", ["json"]), ("show", ["PRESET"]), ("preview", ["PRESET", "output", "size", "if-exists", "quiet"]),
    ]

    static var actions: [String] { optionsOfActions.map(\.action) }

    // MARK: - list

    private func list() throws(CommandError) -> ExitCode {
        var failures: [ExitCode] = []
        for entry in presets.entries {
            guard case .failure(let error) = entry.brush else { continue }
            console.error(error.description)
            failures.append(error.exitCode)
        }
        if parsed.isGiven("json") {
            try console.print(JSONValue.array(presets.entries.map(Self.json)).text())
        } else {
            for line in lines() { try console.printText(line) }
        }
        return .combining(failures)
    }

    private static func json(_ entry: PresetEntry) -> JSONValue {
        [
            "id": .string(entry.id), "name": .string(entry.name),
            // The error of an unusable preset has been printed.
            "type": .optional((try? entry.brush.get())?.type.rawValue), "file": .optional(entry.file),
        ]
    }

    /// The table without those columns at its end for which there is no room.
    private func lines() -> [String] {
        var rows = [["PRESET", "TYPE", "NAME", "FROM"]]
        rows += presets.entries.map { entry in
            [
                // The error of an unusable preset has been printed.
                entry.id, (try? entry.brush.get())?.type.rawValue ?? "unusable", entry.name,
                entry.file ?? "ink",
            ].map { $0.escapingControls() }
        }
        let gap = 2
        let widths = rows[0].indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
        let room = console.outputSize()?.columns ?? .max
        var count = widths.count
        while count > 1, widths.prefix(count).reduce(0, +) + gap * (count - 1) > room { count -= 1 }
        return rows.map { row in
            var line = ""
            for column in 0..<count {
                line += column + 1 < count ? row[column].padded(toColumns: widths[column] + gap) : row[column]
            }
            while line.last == " " { line.removeLast() }
            return line.cut(toColumns: room)
        }
    }

    // MARK: - show

    private func show() throws(CommandError) -> ExitCode {
        let names = parsed.all("PRESET")
        guard let name = names.first, names.count == 1 else {
            throw .usage("ink preset show prints one PRESET, and \(names.count) are given")
        }
        guard let entry = presets.preset(name) else { throw presets.missing(name) }
        let text = try CommandError.wrapping(try entry.text())
        try console.print(String(decoding: text, as: UTF8.self).droppingLastNewlines())
        return .done
    }

    // MARK: - preview

    private func preview() throws(CommandError) -> ExitCode {
        var entries: [PresetEntry] = []
        for name in parsed.all("PRESET") {
            guard let entry = presets.preset(name) else { throw presets.missing(name) }
            entries.append(entry)
        }
        if entries.isEmpty { entries = presets.entries }
        let output = parsed.value("output")
        let isFile = output.map { $0.hasEnding(".png") } ?? false
        if let output, !isFile, PictureCodecs.codec(ofFile: output) != nil {
            throw .usage("--output: \(output) is not a PNG, which previews are")
        }
        if isFile, entries.count > 1 {
            throw .usage("\(output ?? "") is one file, but there are \(entries.count) presets; name a folder")
        }
        var size = PresetPreview.canvas
        if let text = parsed.value("size") {
            let found = try TextValue.size(
                text, option: "--size", in: 16...4096, dotsPerInch: TextValue.canvasResolution)
            size = PixelSize(width: found.width, height: found.height)
        }
        let replaces = try Existing.replaces(parsed)
        let folder =
            try isFile ? "" : output.map { path throws(CommandError) in try OutputPlace.folder(path, option: "-o") }
        try Interrupts.leaveClean(environment)
        let drawing = PresetPreview(size: size, replaces: replaces)
        defer { drawing.stop() }
        var failures: [ExitCode] = []
        for entry in entries {
            let path = isFile ? output ?? "" : (folder ?? "").appendingPath(NameTemplate.safe(entry.id) + ".png")
            do throws(CommandError) {
                if !replaces, try CommandError.wrapping(try FileSystem.exists(path)) {
                    throw .engine(
                        .io(path: path, operation: "make it (--if-exists fail)", errno: FileSystem.existsError))
                }
                let brush = try CommandError.wrapping(try entry.brush.get())
                try drawing.write(brush, name: entry.id, to: path)
            } catch {
                console.error(error.description)
                failures.append(error.exitCode)
                continue
            }
            if !parsed.isGiven("quiet") { try console.printText(path.escapingControls()) }
        }
        return .combining(failures)
    }
}
