import InkBroker
import InkEngine
package import InkExports
package import InkPlanning
import InkSystem

/// What one command of a benchmark exports.
package struct BenchSubject: Sendable {
    /// A project, and its output's size.
    struct Source: Sendable {
        var name: String
        var path: String
        var content: String
        var pixels: PixelSize
    }

    private(set) var subject: BenchCase
    let size: ExportSize
    private let sources: [Source]

    /// The command's paths.
    package var paths: [String] { sources.map(\.path) }

    /// nil for no sources.
    init?(_ sources: [Source], size: ExportSize, sha256: ([UInt8]) -> [UInt8]) {
        guard let first = sources.first else { return nil }
        self.sources = sources
        self.size = size
        let content =
            sources.count == 1
            ? first.content : sha256(Array(sources.map(\.content).joined(separator: "\n").utf8)).hexadecimal
        subject = BenchCase(
            scene: sources.count == 1 ? first.name : "\(sources.count) projects", content: content, size: size.name,
            pixels: first.pixels, pixelsInAll: sources.reduce(0) { $0 + $1.pixels.area }, pictureCount: sources.count)
    }

    /// This subject without some of its projects; nil when nothing is left.
    func leaving(out paths: Set<String>, sha256: ([UInt8]) -> [UInt8]) -> BenchSubject? {
        BenchSubject(sources.filter { !paths.contains($0.path) }, size: size, sha256: sha256)
    }
}

/// Finds what a benchmark exports: the built-in scenes and the user's projects.
package struct BenchSubjects {
    /// The most projects of the user that are measured one by one; more are exported together.
    static let singleMax = 12

    private struct Source {
        var name: String
        var path: String
        var content: String
        var canvas: CanvasSize
    }

    private let sizes: [ExportSize]
    /// The folder of the user's own projects.
    private let projects: String?
    private let environment: ExportEnvironment
    private let observer: any ExportObserver
    package private(set) var failures: [ExitCode] = []

    package init(
        sizes: [ExportSize], projects: String?, environment: ExportEnvironment, observer: any ExportObserver
    ) {
        self.sizes = sizes
        self.projects = projects
        self.environment = environment
        self.observer = observer
    }

    /// Writes the built-in scenes into `folder`, reads the user's projects; each at each size. A project that cannot be
    /// read is said and left out.
    ///
    /// - Parameter isStopped: asked now and then; when it is so, what is found is of no use.
    /// - Throws: when the folder of projects is none or holds nothing that can be read.
    package mutating func find(
        scenesIn folder: String, isStopped: () -> Bool = { false }
    ) throws(ExportError) -> [BenchSubject] {
        // Before the scenes are made, so a wrong folder is reported at once.
        let own =
            try projects.map { folder throws(ExportError) in try projects(in: folder, isStopped) } ?? []
        var subjects: [BenchSubject] = []
        for scene in BenchScene.all where !isStopped() {
            let path = folder.appendingPath("\(scene.name).ink")
            try ExportError.wrapping(try FileSystem.writeAtomically(try scene.file(), to: path))
            let source = Source(
                name: scene.name, path: path, content: "built-in \(BenchScene.version)",
                canvas: CanvasSize(width: Double(BenchScene.canvasEdge), height: Double(BenchScene.canvasEdge)))
            for size in sizes { add([source], size, to: &subjects) }
        }
        guard own.count > Self.singleMax else {
            for source in Self.named(own) {
                for size in sizes { add([source], size, to: &subjects) }
            }
            return subjects
        }
        for size in sizes { add(own, size, to: &subjects) }
        return subjects
    }

    /// Each with a name of its own: with what its file's name ends, where another one, or a scene, has the same without it.
    private static func named(_ sources: [Source]) -> [Source] {
        var counts = Dictionary(grouping: sources, by: \.name).mapValues(\.count)
        for scene in BenchScene.all { counts[scene.name, default: 0] += 1 }
        return sources.map { source in
            guard counts[source.name, default: 1] > 1 else { return source }
            var source = source
            let file = source.path.split(separator: "/").last.map(String.init) ?? source.path
            let folders = source.name.split(separator: "/").dropLast().map(String.init)
            source.name = (folders + [file]).joined(separator: "/")
            return source
        }
    }

    private mutating func projects(in folder: String, _ isStopped: () -> Bool) throws(ExportError) -> [Source] {
        let status = try ExportError.wrapping(try FileSystem.status(folder))
        guard let status else {
            throw .engine(.io(path: folder, operation: "open the folder", errno: FileSystem.missingError))
        }
        guard status.isFolder else { throw .usage("--projects: \(folder) is not a folder") }
        let opener = environment.makeOpener(ReadingChoices(limits: Limits()))
        var sources: [Source] = []
        for found in try InputFinder.find([folder]) where !isStopped() {
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
                observer.error(error.description)
                failures.append(error.exitCode)
            }
        }
        guard !sources.isEmpty || isStopped() else {
            throw .engine(.badInput(Place(file: folder), reason: "the folder contains no project that can be measured"))
        }
        return sources
    }

    private mutating func add(_ sources: [Source], _ size: ExportSize, to subjects: inout [BenchSubject]) {
        var kept: [BenchSubject.Source] = []
        for source in sources {
            do throws(EngineError) {
                let pixels = try size.outputSize(
                    canvas: source.canvas, limits: Limits(), place: Place(file: source.path))
                kept.append(
                    BenchSubject.Source(
                        name: source.name, path: source.path, content: source.content, pixels: pixels))
            } catch {
                observer.error(error.description)
                failures.append(error.exitCode)
            }
        }
        if let subject = BenchSubject(kept, size: size, sha256: environment.sha256) { subjects.append(subject) }
    }
}
