import InkBroker
import InkExports
import InkPlanning

/// The options of `ink bench`, checked one by one and against each other.
struct BenchArguments: Hashable, Sendable {
    static let runsMax = 1000

    var sizes: [ExportSize]
    /// The folder of the user's own projects.
    var projects: String?
    /// The number of workers; nil: one per usable core.
    var workers: Int?
    /// The number of runs, without the warm-up.
    var runs: Int
    var jsonPath: String?
    var chartPath: String?
    var comparePath: String?

    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        let sizes = try PictureChoices(parsed).sizes
        self.sizes = sizes.isEmpty ? [.longestEdge(2048, name: "2k"), .longestEdge(4096, name: "4k")] : sizes
        workers = try parsed.value("workers").map { text throws(CommandError) in
            try TextValue.integer(text, option: "--workers", in: 1...256)
        }
        runs =
            try parsed.value("runs").map { text throws(CommandError) in
                try TextValue.integer(text, option: "--runs", in: 1...Self.runsMax)
            } ?? 10
        projects = parsed.value("projects")
        jsonPath = parsed.value("json")
        if jsonPath == "-" { throw .usage("--json needs a file (write ./- for one named -)") }
        chartPath = parsed.value("chart")
        comparePath = parsed.value("compare")
        for (option, path) in [
            ("--projects", projects), ("--json", jsonPath), ("--chart", chartPath), ("--compare", comparePath),
        ] where path?.isEmpty == true { throw .usage("\(option) is empty") }
    }

    /// The files to write, each with its option.
    var outputs: [(option: String, path: String)] {
        [("--json", jsonPath), ("--chart", chartPath)].compactMap { option, path in path.map { (option, $0) } }
    }
}
