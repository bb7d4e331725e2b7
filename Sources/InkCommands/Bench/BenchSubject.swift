import InkBroker
import InkEngine

/// What one command of a benchmark exports.
struct BenchSubject: Sendable {
    var subject: BenchCase
    /// The command's paths.
    var paths: [String]
    var size: ExportSize
}

/// Finds what a benchmark exports: the built-in scenes and the user's projects.
struct BenchSubjects {
    /// The most projects of the user that are measured one by one; more are exported together.
    static let singleMax = 12

    private struct Source {
        var name: String
        var path: String
        var content: String
        var canvas: PixelSize
    }

    let arguments: BenchArguments
    let environment: CommandEnvironment
    private(set) var failures: [ExitCode] = []

    init(_ arguments: BenchArguments, _ environment: CommandEnvironment) {
        self.arguments = arguments
        self.environment = environment
    }

    /// Writes the built-in scenes into `folder`, reads the user's projects; each at each size. A project that cannot be
    /// read is said and left out.
    ///
    /// - Throws: when the folder of projects is none or holds nothing that can be read.
    mutating func find(scenesIn folder: String) throws(CommandError) -> [BenchSubject] {
        // Before the scenes are made: a wrong folder should be said at once.
        let own = try arguments.projects.map { folder throws(CommandError) in try projects(in: folder) } ?? []
        var subjects: [BenchSubject] = []
        for scene in BenchScene.all {
            let path = folder.appendingPath("\(scene.name).ink")
            try asCommand { () throws(EngineError) in try FileSystem.writeAtomically(try scene.file(), to: path) }
            let source = Source(
                name: scene.name, path: path, content: "built-in \(BenchScene.version)",
                canvas: PixelSize(width: BenchScene.canvasEdge, height: BenchScene.canvasEdge))
            for size in arguments.sizes { add(scene.name, [source], size, to: &subjects) }
        }
        guard own.count > Self.singleMax else {
            for source in own {
                for size in arguments.sizes { add(source.name, [source], size, to: &subjects) }
            }
            return subjects
        }
        for size in arguments.sizes { add("\(own.count) projects", own, size, to: &subjects) }
        return subjects
    }

    private mutating func projects(in folder: String) throws(CommandError) -> [Source] {
        let status = try asCommand { () throws(EngineError) in try FileSystem.status(folder) }
        guard let status else {
            throw .engine(.io(path: folder, operation: "open the folder", errno: FileSystem.missingError))
        }
        guard status.isFolder else { throw .usage("--projects: \(folder) is not a folder") }
        let opener = environment.makeOpener([], Limits(), .none)
        var sources: [Source] = []
        for found in try InputFinder.find([folder]) {
            do throws(EngineError) {
                let input: ExportInput
                switch found {
                case .input(let found): input = found
                case .failure(_, let error): throw error
                }
                let opened = try opener.open(input)
                sources.append(
                    Source(
                        name: (input.tree + [input.stem]).joined(separator: "/"), path: input.path,
                        content: opened.contentDigest.hexadecimal, canvas: opened.project.canvasSize))
            } catch {
                environment.console.error(error.description)
                failures.append(error.exitCode)
            }
        }
        guard !sources.isEmpty else {
            throw .engine(.badInput(Place(file: folder), reason: "the folder holds no project that can be measured"))
        }
        return sources
    }

    private mutating func add(
        _ scene: String, _ sources: [Source], _ size: ExportSize, to subjects: inout [BenchSubject]
    ) {
        var kept: [(source: Source, pixels: PixelSize)] = []
        for source in sources {
            do throws(EngineError) {
                let place = Place(file: source.path)
                kept.append((source, try size.outputSize(canvas: source.canvas, limits: Limits(), place: place)))
            } catch {
                environment.console.error(error.description)
                failures.append(error.exitCode)
            }
        }
        guard let first = kept.first else { return }
        let content =
            kept.count == 1
            ? first.source.content
            : environment.sha256(Array(kept.map(\.source.content).joined(separator: "\n").utf8)).hexadecimal
        subjects.append(
            BenchSubject(
                subject: BenchCase(
                    scene: scene, content: content, size: size.name, pixels: first.pixels,
                    pixelsInAll: kept.reduce(0) { $0 + $1.pixels.area }, pictureCount: kept.count),
                paths: kept.map(\.source.path), size: size))
    }
}
