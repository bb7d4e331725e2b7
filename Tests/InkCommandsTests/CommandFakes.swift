import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

@testable import InkCommands
@testable import InkExports

/// What a command wrote.
final class Transcript: Sendable {
    private let texts = Mutex((output: "", error: ""))

    var output: String { texts.withLock { $0.output } }
    var error: String { texts.withLock { $0.error } }

    func console(terminal: (columns: Int, rows: Int)? = nil) -> Console {
        Console(
            writeOutput: { text in
                self.texts.withLock { $0.output += text }
                return true
            },
            writeError: { text in self.texts.withLock { $0.error += text } },
            terminalSize: { terminal })
    }
}

/// Reads "projects" whose text is `key=value` lines: `title`, `id`, `canvas` (WxH), `layer` (ID:NAME, `-` before a
/// hidden one), `warning` (a text); the text `broken` is bad input.
struct FakeOpener: ProjectOpener {
    func open(_ input: ExportInput) throws(EngineError) -> OpenedProject {
        let bytes = try FileSystem.read(input.path, limitBytes: 1 << 20)
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("broken") { throw .badInput(Place(file: input.path, path: "layers[0]"), reason: "is broken") }
        var project = Project(canvasSize: PixelSize(width: 400, height: 300))
        var warnings: [ReadingWarning] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "title": project.name = parts[1]
            case "id": project.id = parts[1]
            case "warning": warnings.append(ReadingWarning(.unknownKey, at: "layers[0]", parts[1]))
            case "layer":
                let isHidden = parts[1].hasPrefix("-")
                let names = parts[1].dropFirst(isHidden ? 1 : 0).split(separator: ":").map(String.init)
                project.layers.append(
                    Layer(id: names[0], name: names.count > 1 ? names[1] : "", isVisible: !isHidden))
            default: break
            }
        }
        return OpenedProject(project: project, warnings: warnings, contentDigest: bytes)
    }
}

/// Ends each picture at once: writes its digest into the output, or fails as the project's title says (`farm-fails`,
/// `farm-io`); `farm-hangs` only ends by `cancelAll`. Files of limited size have 100 bytes for each step of quality,
/// as far as the outcome says.
final class FakeFarm: ExportFarm {
    private struct State {
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        var requests: [PictureRequest] = []
        var hanging: [Int] = []
        var isCancelled = false
    }

    let rendererVersion: String
    let threadCount = 2
    private let state = Mutex(State())

    init(rendererVersion: String = "fake 1") { self.rendererVersion = rendererVersion }

    var requests: [PictureRequest] { state.withLock { $0.requests } }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        state.withLock { $0.onEvent = onEvent }
    }

    func submit(_ request: PictureRequest) {
        let (tell, isCancelled) = state.withLock { state in
            state.requests.append(request)
            return (state.onEvent, state.isCancelled)
        }
        tell?(.started(request.id))
        tell?(.progress(request.id, done: 1, total: 2))
        switch request.project.name {
        case _ where isCancelled: tell?(.cancelled(request.id))
        case "farm-hangs": state.withLock { $0.hanging.append(request.id) }
        case "farm-fails":
            tell?(.failed(request.id, PictureFailure(kind: .internalError, reason: "\(request.name): worker lost")))
        case "farm-io":
            tell?(.failed(request.id, PictureFailure(kind: .inputOutput, reason: "\(request.outputs[0]): disk full")))
        default:
            do {
                for (file, output) in zip(request.options.files, request.outputs) {
                    try FileSystem.makeFolder(output.splitPath().folder)
                    try FileSystem.writeAtomically(file.digest ?? [], to: output)
                }
                let files = request.outputs.map { _ in WrittenFile(byteCount: 32, digest: [0xAB]) }
                var picture = PictureReport(size: request.size, files: files, tileCount: 3)
                if let bytesMax = request.options.encoding.bytesMax {
                    let quality = min(request.options.encoding.quality ?? 100, bytesMax / 100)
                    (picture.quality, picture.files[0].byteCount) = (quality, 100 * quality)
                }
                tell?(.finished(request.id, picture))
            } catch {
                tell?(.failed(request.id, PictureFailure(error)))
            }
        }
    }

    func cancelAll() {
        let (tell, hanging) = state.withLock { state in
            state.isCancelled = true
            let hanging = state.hanging
            state.hanging = []
            return (state.onEvent, hanging)
        }
        for id in hanging { tell?(.cancelled(id)) }
    }

    func stop() {}
}

/// A command line run against the fakes.
struct CommandTrial {
    let transcript = Transcript()
    let farm: FakeFarm

    init(farm: FakeFarm = FakeFarm()) { self.farm = farm }

    func run(_ arguments: [String], variables: [String: String] = [:]) -> ExitCode {
        let farm = farm
        return InkCommands.run(
            arguments,
            CommandEnvironment(
                console: transcript.console(),
                exports: ExportEnvironment(
                    makeOpener: { _ in FakeOpener() }, makeFarm: { _, _, _ in farm },
                    storedDigest: { try? FileSystem.read($0, limitBytes: 1 << 20) },
                    sha256: { Array($0.reversed()) }),
                readLimits: { _ in Limits() }, variables: variables,
                handlesSignals: false))
    }
}
