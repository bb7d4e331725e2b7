import Dispatch
import InkBroker
import InkCodecs
import InkEngine
import InkSystem
import Synchronization

/// Renders images of templates and brushes, one after the other, with a farm of its own in this process, which is started
/// when the first is needed. For one thread.
final class RenderedImages: Sendable {
    private struct State {
        var farm: EmbeddedFarm?
        var folder: String?
        var lastID = 0
        var ends: [Int: Result<Void, PictureFailure>] = [:]
    }

    private let workerCount: Int
    private let limits: Limits
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    init(workerCount: Int, limits: Limits) {
        self.workerCount = workerCount
        self.limits = limits
    }

    /// Renders a project to a file, which stays until the next one.
    func render(
        _ project: Project, name: String, size: PixelSize, options: PictureOptions
    ) throws(PictureFailure) -> String {
        let farm = try started()
        let (id, path) = state.withLock { state in
            state.lastID += 1
            return (state.lastID, (state.folder ?? "").appendingPath("image"))
        }
        farm.submit(
            PictureRequest(
                id: id, name: name, project: project, size: size, options: options, output: path,
                // Different for each: they show different parts of a project.
                contentDigest: Array("image \(id)".utf8), wantsFileDigest: false))
        while true {
            arrivals.wait()
            guard let end = state.withLock({ $0.ends.removeValue(forKey: id) }) else { continue }
            try end.get()
            return path
        }
    }

    private func started() throws(PictureFailure) -> EmbeddedFarm {
        if let farm = state.withLock({ $0.farm }) { return farm }
        let folder: String
        do throws(EngineError) { folder = try TemporaryFolder.make("ink-images") } catch { throw PictureFailure(error) }
        let farm = EmbeddedFarm(workerCount: workerCount, limits: limits)
        do throws(PictureFailure) {
            try farm.start { [weak self] event in self?.take(event) }
        } catch {
            TemporaryFolder.remove(folder)
            throw error
        }
        state.withLock { state in
            state.farm = farm
            state.folder = folder
        }
        return farm
    }

    private func take(_ event: FarmEvent) {
        let (id, end): (Int, Result<Void, PictureFailure>)
        switch event {
        case .finished(let index, _): (id, end) = (index, .success(()))
        case .failed(let index, let failure): (id, end) = (index, .failure(failure))
        case .cancelled(let index): (id, end) = (index, .failure(PictureFailure(EngineError.cancelled)))
        default: return
        }
        state.withLock { $0.ends[id] = end }
        arrivals.signal()
    }

    /// Stops the threads and removes the images.
    func stop() {
        let (farm, folder) = state.withLock { state in
            defer { (state.farm, state.folder) = (nil, nil) }
            return (state.farm, state.folder)
        }
        farm?.stop()
        if let folder { TemporaryFolder.remove(folder) }
    }
}
