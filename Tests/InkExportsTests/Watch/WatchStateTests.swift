import InkSystem
import InkTestSupport
import Testing

@testable import InkExports

/// Watches of a simulated disk: writers, renames, folders that go and return, lost notices, all from one seed.
private struct SimulatedDisk {
    struct File {
        var version: Int
        /// Written until this time; nil for a complete file.
        var writtenUntil: Double?
        /// Complete versions of a project that names it as a picture count as changed.
        var isPicture = false
    }

    private(set) var random: SeededGenerator
    private(set) var now = 0.0
    private var state: WatchState<Int>
    private var files: [String: File] = [:]
    private var isFolderThere = true
    private var aside: [String: File] = [:]
    private var version = 0
    private var notices: [(time: Double, event: WatchState<Int>.Event)] = []
    private var exporting: (end: Double, versions: [(path: String, version: Int, pictures: Int)])?
    /// The version of each document that was exported last, with the state of its pictures.
    private var exported: [String: (version: Int, pictures: Int, isFailed: Bool)] = [:]
    private let knowsWriters: Bool
    private let namesFiles: Bool
    private(set) var problems: [String] = []
    private(set) var exportCount = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        knowsWriters = seed % 3 != 0
        namesFiles = seed % 4 == 0
        state = WatchState { $0.hasSuffix(".ink") }
        for _ in 0..<Int.random(in: 0...5, using: &random) { create(at: Double.random(in: -1...0, using: &random)) }
    }

    private var pictures: Int { files.values.filter(\.isPicture).map(\.version).reduce(0, &+) }

    private mutating func create(at time: Double) {
        let name = "in/\(Int.random(in: 0..<12, using: &random)).ink"
        version += 1
        let length = Bool.random(using: &random) ? 0 : Double.random(in: 0...4, using: &random)
        files[name] = File(version: version, writtenUntil: time + length)
        notify(.named(name, isFolder: false))
    }

    private mutating func notify(_ event: WatchState<Int>.Event) {
        guard isFolderThere else { return }
        // While an export runs, notices wait in the kernel, whose queue has an end.
        notices.append((now + Double.random(in: 0...0.02, using: &random), event))
        if notices.count > 30 { notices = [(now, .lost)] }
    }

    /// Something happens on the disk.
    private mutating func act() {
        guard isFolderThere else {
            if Int.random(in: 0..<8, using: &random) == 0 { (files, isFolderThere) = (aside, true) }
            return
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: create(at: now)
        case 4, 5:
            // A file is written again in place.
            guard let name = files.keys.sorted().randomElement(using: &random), files[name]?.writtenUntil == nil else {
                return
            }
            version += 1
            files[name]?.version = version
            files[name]?.writtenUntil = now + Double.random(in: 0...2, using: &random)
        case 6, 7:
            // An editor writes a file of another name, and renames it.
            let name = "in/\(Int.random(in: 0..<12, using: &random)).ink"
            version += 1
            files[name] = File(version: version, writtenUntil: nil)
            notify(.named(name, isFolder: false))
        case 8:
            guard let name = files.keys.sorted().randomElement(using: &random),
                let file = files.removeValue(forKey: name)
            else { return }
            notify(.named(name, isFolder: false))
            guard !file.isPicture, Bool.random(using: &random) else { return }
            let other = "in/\(Int.random(in: 0..<12, using: &random)).ink"
            files[other] = file
            notify(.named(other, isFolder: false))
        case 9:
            version += 1
            files["in/a.png"] = File(version: version, writtenUntil: nil, isPicture: true)
            notify(.written("in/a.png"))
        case 10:
            (aside, files) = (files, [:])
            notify(.lost)
            isFolderThere = false
        default:
            for _ in 0..<20 { create(at: now) }
        }
    }

    private func stamp(_ name: String) -> Int? { files[name]?.version }

    private mutating func passWriters() {
        for (name, file) in files {
            guard let end = file.writtenUntil, end <= now else { continue }
            files[name]?.writtenUntil = nil
            version += 1
            files[name]?.version = version
            notify(.written(name))
        }
        for (name, file) in aside where file.writtenUntil.map({ $0 <= now }) ?? false {
            aside[name]?.writtenUntil = nil
        }
    }

    private mutating func endExports() {
        guard let running = exporting, running.end <= now else { return }
        exporting = nil
        for (path, version, pictures) in running.versions {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: state.handle(.ended(path, .postponed), at: now)
            case 1:
                exported[path] = (version, pictures, true)
                state.handle(.ended(path, .failed), at: now)
            default:
                exported[path] = (version, pictures, false)
                state.handle(.ended(path, .done(namesFiles: namesFiles)), at: now)
            }
        }
    }

    private mutating func export(_ inputs: [ExportInput]) {
        if exporting != nil { problems.append("two exports at a time") }
        exportCount += inputs.count
        var versions: [(String, Int, Int)] = []
        for input in inputs {
            let file = files[input.path]
            if let file, file.writtenUntil != nil, file.writtenUntil ?? 0 > now, knowsWriters {
                problems.append("\(now): \(input.path) is exported while it is written")
            }
            // A picture beside it may be why one is exported again.
            if let file, let last = exported[input.path], last.version == file.version, !last.isFailed, !namesFiles {
                problems.append("\(now): version \(file.version) of \(input.path) is exported twice")
            }
            versions.append((input.path, file?.version ?? 0, pictures))
        }
        exporting = (now + Double.random(in: 0...3, using: &random), versions)
    }

    private mutating func perform() {
        while exporting == nil {
            let actions = state.actions(at: now)
            if actions.isEmpty { return }
            for action in actions { perform(action) }
        }
    }

    private mutating func perform(_ action: WatchState<Int>.Action) {
        switch action {
        case .search:
            // What is written while the folders are searched is found, or noticed.
            let found = files.filter { $0.key.hasSuffix(".ink") }
                .map { (input: ExportInput(path: $0.key), stamp: Optional($0.value.version)) }
            state.handle(.searched(found, isPartial: !isFolderThere), at: now)
        case .inspect(let input):
            let isWritten = files[input.path]?.writtenUntil != nil
            let writers: FileWriters = knowsWriters ? isWritten ? .some : .none : .unknown
            state.handle(.inspected(input.path, stamp(input.path), writers), at: now)
        case .export(let inputs): export(inputs)
        }
    }

    private mutating func step(_ seconds: Double) {
        now += seconds
        passWriters()
        // The loop reads no notices while it exports.
        if exporting == nil || exporting!.end <= now {
            endExports()
            let due = notices.filter { $0.time <= now }
            notices.removeAll { $0.time <= now }
            for notice in due { state.handle(notice.event, at: now) }
            perform()
        }
    }

    /// Lets things happen for a while, then waits for rest.
    mutating func run() {
        for _ in 0..<600 {
            if Int.random(in: 0..<3, using: &random) == 0 { act() }
            step(Double.random(in: 0...0.5, using: &random))
        }
        if !isFolderThere {
            (files, isFolderThere) = (aside, true)
        }
        var steps = 0
        while steps < 4000, !(state.isQuiet && exporting == nil && notices.isEmpty && now > 0 && steps > 2000) {
            step(0.05)
            steps += 1
        }
        if steps == 4000 { problems.append("it does not come to rest") }
        for (name, file) in files where name.hasSuffix(".ink") {
            guard let last = exported[name] else {
                problems.append("\(name) is never exported")
                continue
            }
            if last.version != file.version { problems.append("\(name): \(last.version) of \(file.version) exported") }
            if namesFiles, last.pictures != pictures { problems.append("\(name): its picture has changed since") }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct WatchStateTests {
    @Test("Nothing is lost and nothing is exported twice, whatever happens on the disk", arguments: 0..<300)
    func everythingOnce(seed: UInt64) {
        var disk = SimulatedDisk(seed: seed)
        disk.run()
        #expect(disk.problems.prefix(3).isEmpty, "seed \(seed): WatchStateTests.everythingOnce")
        #expect(disk.exportCount > 0, "seed \(seed)")
    }

    private typealias State = WatchState<Int>
    private let input = ExportInput(path: "a.ink")

    private func searched(_ stamps: [String: Int]) -> State.Event {
        .searched(stamps.map { (ExportInput(path: $0.key), $0.value) }, isPartial: false)
    }

    private func state(_ stamps: [String: Int]) -> State {
        var state = State { $0.hasSuffix(".ink") }
        #expect(state.actions(at: 0) == [.search])
        state.handle(searched(stamps), at: 0)
        return state
    }

    @Test("What is there at the start is exported at once, and not again until it changes")
    func start() {
        var state = state(["a.ink": 1])
        #expect(state.actions(at: 0) == [.inspect(input)])
        state.handle(.inspected("a.ink", 1, .none), at: 0)
        #expect(state.actions(at: 0) == [.export([input])])
        state.handle(.ended("a.ink", .done(namesFiles: false)), at: 1)
        state.handle(searched(["a.ink": 1]), at: 1)
        #expect(state.actions(at: 1).isEmpty && state.isQuiet)
        state.handle(.written("a.ink"), at: 2)
        #expect(state.actions(at: 2.1).isEmpty)
        #expect(state.actions(at: 2.4) == [.inspect(input)])
        state.handle(.inspected("a.ink", 2, .none), at: 2.4)
        #expect(state.actions(at: 2.4) == [.export([input])])
    }

    @Test("A document that is written waits for its writer; where writers are not known, until it rests")
    func writers() {
        var state = state(["a.ink": 1])
        _ = state.actions(at: 0)
        state.handle(.inspected("a.ink", 1, .some), at: 0)
        #expect(state.actions(at: 0.9).isEmpty)
        #expect(state.actions(at: 1) == [.inspect(input)])
        state.handle(.inspected("a.ink", 2, .unknown), at: 1)
        #expect(state.actions(at: 2.9).isEmpty)
        #expect(state.actions(at: 3) == [.inspect(input)])
        state.handle(.inspected("a.ink", 2, .unknown), at: 3)
        #expect(state.actions(at: 3) == [.export([input])])
    }

    @Test("A document that has failed is tried again only when it or a file beside it changes")
    func failures() {
        var state = state(["d/a.ink": 1])
        let input = ExportInput(path: "d/a.ink")
        _ = state.actions(at: 0)
        state.handle(.inspected("d/a.ink", 1, .none), at: 0)
        #expect(state.actions(at: 0) == [.export([input])])
        state.handle(.ended("d/a.ink", .failed), at: 0)
        state.handle(.written("other/x.png"), at: 1)
        #expect(state.actions(at: 50).isEmpty)
        state.handle(.written("d/pictures/x.png"), at: 51)
        #expect(state.actions(at: 52) == [.inspect(input)])
        state.handle(.inspected("d/a.ink", 1, .none), at: 52)
        #expect(state.actions(at: 52) == [.export([input])])
    }

    @Test("A new folder may hold what a document that has failed names")
    func newFolder() {
        var state = state(["d/a.ink": 1])
        let input = ExportInput(path: "d/a.ink")
        _ = state.actions(at: 0)
        state.handle(.inspected("d/a.ink", 1, .none), at: 0)
        _ = state.actions(at: 0)
        state.handle(.ended("d/a.ink", .failed), at: 0)
        state.handle(.named("d/pictures", isFolder: true), at: 1)
        #expect(state.actions(at: 1.2) == [.search])
        state.handle(searched(["d/a.ink": 1]), at: 1.2)
        #expect(state.actions(at: 1.2) == [.inspect(input)])
        state.handle(.inspected("d/a.ink", 1, .none), at: 1.2)
        #expect(state.actions(at: 1.2) == [.export([input])])
    }

    @Test("What a farm could not do is tried again after a while")
    func postponement() {
        var state = state(["a.ink": 1])
        _ = state.actions(at: 0)
        state.handle(.inspected("a.ink", 1, .none), at: 0)
        _ = state.actions(at: 0)
        state.handle(.ended("a.ink", .postponed), at: 1)
        #expect(state.actions(at: 5.9).isEmpty)
        #expect(state.actions(at: 6) == [.inspect(input)])
    }

    @Test("A document that is moved away and back is not exported again; a changed one is")
    func movedBack() {
        var state = state(["a.ink": 1])
        _ = state.actions(at: 0)
        state.handle(.inspected("a.ink", 1, .none), at: 0)
        _ = state.actions(at: 0)
        state.handle(.ended("a.ink", .done(namesFiles: false)), at: 0)
        state.handle(searched([:]), at: 1)
        #expect(!state.isThere("a.ink"))
        state.handle(searched(["a.ink": 1]), at: 2)
        #expect(state.isThere("a.ink") && state.isQuiet)
        state.handle(searched(["a.ink": 2]), at: 3)
        #expect(state.actions(at: 3) == [.inspect(input)])
    }

    @Test("Names that look alike and are not the same bytes are two documents")
    func equivalentNames() {
        var state = State { $0.hasSuffix(".ink") }
        _ = state.actions(at: 0)
        // They are equal as strings, so they cannot be keys of one dictionary.
        let names = ["\u{e9}.ink", "e\u{301}.ink"]
        state.handle(.searched(names.map { (ExportInput(path: $0), 1) }, isPartial: false), at: 0)
        #expect(state.actions(at: 0).count == 2)
    }
}
