import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkSystem

/// The options of `ink export`, checked one by one and against each other.
extension ExportArguments {
    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        let paths = parsed.all("PATH")
        guard !paths.isEmpty else {
            throw .usage("a PATH to export is needed: a drawing, or a folder of them (see \"ink help \(parsed.name)\")")
        }
        guard paths.allSatisfy({ !$0.isEmpty }) else { throw .usage("a PATH is empty") }
        guard paths.count(where: { $0 == "-" }) <= 1 else { throw .usage("standard input (-) can be read only once") }
        try Self.refuseMisplaced(paths, parsed)
        var output = parsed.value("output")
        if output?.isEmpty == true { throw .usage("--output is empty") }
        let isStandardOutput = output == "-"
        // Where the picture is made before it is printed is the command's choice.
        if isStandardOutput { output = nil }
        output = try output.map { path throws(CommandError) in try OutputPlace.pictures(path, option: "-o") }
        try self.init(
            PictureChoices(parsed), paths: paths, output: output, name: parsed.value("name"), run: RunArguments(parsed))
        if isStandardOutput { try refuseWithStandardOutput(parsed) }
        self.isStandardOutput = isStandardOutput
        ifExists = try parsed.value("if-exists").map { text throws(CommandError) in
            guard let policy = ExistingFilePolicy(rawValue: text) else {
                throw TextValue.noChoice(
                    text, option: "--if-exists", among: ExistingFilePolicy.allCases.map(\.rawValue))
            }
            return policy
        }
        presetFolders = parsed.all("presets")
        limitsPath = parsed.value("limits")
        takesMerged = parsed.isGiven("flattened")
        if let text = parsed.value("brush") { brush = BrushChange(type: try TextValue.brushType(text)) }
        photos.needsOutput = parsed.name == "export" && !isStandardOutput
        if parsed.isGiven("watch") { try makeWatch(parsed) }
        if parsed.isGiven("shard") { try checkShard(parsed) }
    }

    /// Options that are about a whole run, which a part of it is not.
    private static let optionsWithoutShard = ["watch", "sheet", "contact-sheet", "pdf-book", "from-report"]

    /// - Throws: `usage` if something does not go with `--shard`.
    private func checkShard(_ parsed: ParsedCommand) throws(CommandError) {
        let shard = "--shard (or INK_SHARD)"
        for option in Self.optionsWithoutShard where parsed.isGiven(option) {
            throw .usage("\(shard) and --\(option) cannot be used together: a part is not the whole run")
        }
        if paths.contains("-") { throw .usage("\(shard): standard input (-) is in no part; name files or folders") }
        if isStandardOutput { throw .usage("\(shard) and -o - cannot be used together; name a folder (-o DIR)") }
    }

    /// Options that need a name of the picture, or standard output for themselves.
    private static let optionsWithoutStandardOutput = [
        "name", "json", "report", "dry-run", "watch", "pdf-book", "sheet", "contact-sheet",
    ]

    /// - Throws: `usage` if more than one file would go to standard output, or something else than a file.
    private func refuseWithStandardOutput(_ parsed: ParsedCommand) throws(CommandError) {
        for option in Self.optionsWithoutStandardOutput where parsed.isGiven(option) {
            throw .usage(
                "-o - and --\(option) cannot be used together: standard output is the picture itself; write to a file with -o FILE"
            )
        }
        let codecs = options.files.compactMap { PictureCodecs.codec(of: $0.encoding.format) }
        if codecs.count > 1 {
            throw .usage("-o -: standard output takes one picture, but there are \(codecs.count) formats; choose one")
        }
        if let folder = codecs.first(where: \.format.isFolder) {
            throw .usage(
                "-o -: \(folder.name) is a folder of files, which standard output cannot be; use -o FOLDER, or szi")
        }
    }

    /// Options that are about a whole run, which a watch is not.
    private static let optionsWithoutWatch = [
        "dry-run", "fail-fast", "from-report", "pdf-book", "sheet", "contact-sheet",
    ]

    /// Adapts the arguments to `--watch`.
    /// - Throws: `usage` if they do not fit.
    private mutating func makeWatch(_ parsed: ParsedCommand) throws(CommandError) {
        for option in Self.optionsWithoutWatch where parsed.isGiven(option) {
            throw .usage("--watch and --\(option) cannot be used together: a watch has no end of its own")
        }
        if let path = paths.first(where: { $0 == "-" || $0.hasPrefix("@") }) {
            throw .usage(
                "--watch needs folders or files, and \"\(path)\" is neither (write ./\(path) for one of that name)")
        }
        // What cannot be looked at is reported by the watch.
        let folders = paths.filter { path in (try? FileSystem.status(path)?.isFolder) == true }
        if let output, OutputPlace.isWritable(output),
            paths.count > 1 || folders.contains(where: { !ExportInput(path: $0).isTemplateFolder })
        {
            throw .usage(
                "--watch: \(output) is one file, and there may be many pictures; name a folder, as in -o pictures/")
        }
        if name.placeholders.contains(.number) {
            throw .usage(
                "--watch: {n} is the number of a picture in a run, which a watch does not have; use other names")
        }
        if photos.isWanted {
            guard let output else { throw .usage("--watch: --photos needs another folder for the pictures (-o DIR)") }
            if let folder = folders.first(where: { FilePlace($0) == FilePlace(output) }) {
                throw .usage(
                    "--watch: pictures of photos would lie among them in \(folder); use -o with another folder")
            }
        }
        photos.isOnlyIfWanted = true
        ifExists = ifExists ?? .skipUnchanged
    }

    /// Rejects a PATH that was meant as the value of an option.
    /// - Throws: `usage` with the corrected command.
    private static func refuseMisplaced(_ paths: [String], _ parsed: ParsedCommand) throws(CommandError) {
        for path in paths where PictureChoices.size(path, dotsPerInch: 72) != nil && isMissing(path) {
            let all = (parsed.list("size") + [path]).joined(separator: ",")
            throw .usage("\"\(path)\" is a size, and there is no such file; use --size \(all)")
        }
        guard paths.count > 1, let last = paths.last, !parsed.isGiven("output"), parsed.name == "export",
            isMissing(last)
        else { return }
        if OutputPlace.isPicture(last) {
            let others = paths.dropLast().joined(separator: " ")
            guard paths.count == 2 else {
                throw .usage(
                    "\(last) is not a project; to write several pictures, use ink export \(others) -o FOLDER/")
            }
            throw .usage(
                "\(last) is not a project; to write a picture there, use ink export \(others) -o \(OutputPlace.asPicture(last))"
            )
        }
        if last.hasSuffix("/") {
            throw .usage("\(last): no such folder; to write the pictures there, use -o \(last)")
        }
    }

    /// Whether the path does not exist. Other errors are reported when it is read.
    private static func isMissing(_ path: String) -> Bool { (try? FileSystem.exists(path)) == false }

}

extension RunArguments {
    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        self.init()
        if let text = parsed.value("workers") {
            workers = try TextValue.integer(text, option: "--workers", in: 1...256)
        }
        cache = try Self.cache(parsed)
        if parsed.isGiven("keep-going"), parsed.isGiven("fail-fast") {
            throw .usage("--keep-going and --fail-fast cannot be used together")
        }
        keepsGoing = !parsed.isGiven("fail-fast")
        isDryRun = parsed.isGiven("dry-run")
        reportPath = parsed.value("report")
        if reportPath == "-" {
            throw .usage(
                "--report: standard output is for --json, which prints the same (write ./- for a file named -)")
        }
        bookPath = parsed.value("pdf-book")
        if let path = bookPath, PictureCodecs.codec(ofFile: path)?.format != .pdf {
            throw .usage("--pdf-book: \(path) does not end in .pdf")
        }
        try readSheets(parsed)
        wantsFileDigests = reportPath != nil || parsed.isGiven("json")
        // Checked here with the other options; the display parses it again.
        _ = try ProgressStyle.read(parsed)
        isStrict = parsed.isGiven("strict")
        shard = try parsed.value("shard").map { text throws(CommandError) in try Shard(text) }
    }

    /// `--cache` and `--cache-size`; nil without them.
    private static func cache(_ parsed: ParsedCommand) throws(CommandError) -> CacheArguments? {
        var bytes = 4 << 30
        if let text = parsed.value("cache-size") {
            guard let value = SettingUnit.value(text, SettingUnit.sizes, plain: 1), value >= 1 << 20 else {
                throw .usage("--cache-size: \"\(text)\" is not a size of at least 1M; use 500M, 4G or bytes")
            }
            bytes = value
        }
        guard let folder = parsed.value("cache") else {
            if parsed.isGiven("cache-size") { throw .usage("--cache-size needs --cache") }
            return nil
        }
        if folder.isEmpty { throw .usage("--cache: the folder's name is empty") }
        return CacheArguments(folder: folder, bytesMax: bytes)
    }

    private mutating func readSheets(_ parsed: ParsedCommand) throws(CommandError) {
        sheetPath = parsed.value("sheet")
        if let path = sheetPath {
            guard PictureCodecs.codec(ofFile: path)?.format == .png else {
                throw .usage("--sheet: \(path) does not end in .png")
            }
        }
        if let path = parsed.value("contact-sheet") {
            let format = PictureCodecs.codec(ofFile: path)?.format
            if format != .png, format != .jpeg {
                throw .usage("--contact-sheet: \(path) does not end in .png or .jpg")
            }
            var contact = ContactArguments(path: path)
            if let text = parsed.value("contact-columns") {
                contact.columns = try TextValue.integer(
                    text, option: "--contact-columns", in: 1...ContactSheet.columnsMax)
            }
            if let text = parsed.value("contact-size") {
                contact.edge = try TextValue.integer(text, option: "--contact-size", in: ContactSheet.edges)
            }
            contactSheet = contact
        } else if let option = ["contact-columns", "contact-size"].first(where: parsed.isGiven) {
            throw .usage("--\(option) needs --contact-sheet")
        }
    }
}

extension PictureChoices {
    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        var values: [(PictureOption, PictureOption.Value)] = []
        for option in PictureOption.all where parsed.isGiven(option.name) {
            values.append((option, try option.value(of: parsed.all(option.name))))
        }
        try self.init(values)
    }
}
