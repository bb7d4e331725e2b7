import Glibc
import InkBroker
import InkEngine
import InkSystem
import InkProtocol
import InkStore

/// Reads the project of a job, in the broker's cutting lane.
struct JobLoader: Sendable {
    let configuration: ServiceConfiguration
    let contents: ContentFolder

    func load(_ submission: Submission) throws(BrokerError) -> (Project, PictureOptions) {
        do throws(EngineError) {
            if case .write(let path) = submission.delivery { try checkOutput(path) }
            let project = try project(submission)
            return (project, try options(submission, project))
        } catch {
            throw .refused(error)
        }
    }

    private func project(_ submission: Submission) throws(EngineError) -> Project {
        let limits = configuration.projectLimits
        switch submission.source {
        case .content(let id, _, let encoding):
            var bytes: [UInt8]
            do throws(StoreError) { bytes = try contents.read(id) } catch {
                guard case .file(let path, let operation, let errno) = error else {
                    throw .io(path: contents.path(of: id), operation: "read", errno: EIO)
                }
                throw .io(path: path, operation: operation, errno: errno)
            }
            if encoding == .zstd {
                do throws(ProtocolError) {
                    bytes = try Zstandard.decompress(bytes, limit: limits.fileBytes)
                } catch {
                    throw .badInput(Place(file: submission.name), reason: "the content is no project: \(error)")
                }
            }
            return try ProjectLoader.load(
                bytes: bytes, name: submission.name, presetFolders: configuration.presetFolders, limits: limits
            ).project
        case .path(let path):
            return try ProjectLoader.load(
                path: try resolved(path), presetFolders: configuration.presetFolders, limits: limits
            ).project
        }
    }

    /// Links may lead about below the roots, not out of them.
    private func resolved(_ path: String) throws(EngineError) -> String {
        guard let real = Self.real(path) else { throw .io(path: path, operation: "open", errno: errno) }
        guard configuration.inputRoots.compactMap(Self.real).contains(where: { ServiceState.lies(real, below: $0) })
        else { throw .badInput(Place(file: path), reason: "the file lies outside the broker's input roots") }
        return real
    }

    /// The same for what is to be written: the part of the path that is there leads nowhere else.
    private func checkOutput(_ path: String) throws(EngineError) {
        guard let folder = configuration.outputRoot, let root = Self.real(folder) else {
            throw .io(path: configuration.outputRoot ?? path, operation: "open", errno: errno)
        }
        var place = "\(folder)/\(path)"
        var status = stat()
        while lstat(place, &status) != 0, errno == ENOENT, place != "/", !place.isEmpty {
            place = place.splitPath().folder
        }
        guard let real = Self.real(place), real == root || ServiceState.lies(real, below: root) else {
            throw .badInput(Place(file: path), reason: "a link leads out of the broker's output root")
        }
    }

    private static func real(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private func options(_ submission: Submission, _ project: Project) throws(EngineError) -> PictureOptions {
        let spec = submission.picture
        let place = Place(file: submission.name)
        let size: PixelSize
        switch spec.size {
        case .exact(let exact):
            try ExportSize.check(exact, limits: configuration.projectLimits, place: place)
            size = exact
        case .named(let text):
            guard let named = ExportSize(text) else { throw .badInput(place, reason: "\"\(text)\" is no size") }
            size = try named.outputSize(canvas: project.canvasSize, limits: configuration.projectLimits, place: place)
        }
        guard size.longestEdge <= Int(Int32.max) else {
            throw .badInput(place, reason: "a PNG of \(size) pixels cannot be made")
        }
        if let wrong = spec.layers?.first(where: { !project.layers.indices.contains($0) }) {
            throw .badInput(place, reason: "there is no layer \(wrong + 1), the project has \(project.layers.count)")
        }
        let color: ColorMode =
            switch spec.color {
            case .automatic: .automatic
            case .rgb: .rgb
            case .rgba: .rgba
            }
        return PictureOptions(
            output: size, background: spec.background, includeBase: spec.includesBaseImage,
            layers: spec.layers.map { Set($0) }, fillSuggested: spec.fillsSuggested, colorMode: color,
            effort: spec.effort, tile: spec.tile, dpi: spec.dotsPerInch,
            text: spec.hasMetadata ? PictureText.entries(of: project, software: configuration.software) : [],
            digest: spec.digest)
    }
}
