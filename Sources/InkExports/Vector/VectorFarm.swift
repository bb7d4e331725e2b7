import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

/// A farm that makes pictures of vector formats in this process, one after the other, and leaves all others to another
/// farm.
final class VectorFarm: ExportFarm {
    private struct State {
        var lane: Lane?
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        var isCancelled = false
    }

    private let pixels: any ExportFarm
    private let images: VectorImages
    private let state = Mutex(State())

    /// - Parameters:
    ///   - pixels: makes pictures of all other formats.
    ///   - workerCount: render threads for images in vector pictures.
    init(_ pixels: any ExportFarm, workerCount: Int, limits: Limits) {
        self.pixels = pixels
        images = VectorImages(workerCount: workerCount, limits: limits)
    }

    var rendererVersion: String { pixels.rendererVersion }
    var threadCount: Int { pixels.threadCount }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        state.withLock { $0.onEvent = onEvent }
        try pixels.start(onEvent)
    }

    func submit(_ request: PictureRequest) {
        guard request.options.encoding.isVector else { return pixels.submit(request) }
        let lane: Lane
        do throws(SystemFailure) {
            // Called on one thread.
            if let known = state.withLock({ $0.lane }) {
                lane = known
            } else {
                lane = try Lane(stackBytes: PosixThread.standardStackBytes)
            }
            state.withLock { $0.lane = lane }
        } catch {
            let failure = ExportError.noThread("vector pictures", error)
            return tell(.failed(request.id, PictureFailure(failure)))
        }
        lane.run { [self] in make(request) }
    }

    private func tell(_ event: FarmEvent) { state.withLock(\.onEvent)?(event) }

    private var isCancelled: Bool { state.withLock(\.isCancelled) }

    private func make(_ request: PictureRequest) {
        guard !isCancelled else { return tell(.cancelled(request.id)) }
        tell(.started(request.id))
        let clock = Stopwatch()
        do throws(PictureFailure) {
            let file = VectorFile(request, images: images) { [self] in isCancelled }
            var (picture, warnings) = try file.write()
            picture.elapsed = clock.nanoseconds
            if !warnings.isEmpty { tell(.warned(request.id, warnings)) }
            tell(.finished(request.id, picture))
        } catch {
            tell(isCancelled ? .cancelled(request.id) : .failed(request.id, error))
        }
    }

    func cancelAll() {
        state.withLock { $0.isCancelled = true }
        images.cancel()
        pixels.cancelAll()
    }

    func stop() {
        state.withLock { $0.lane }?.wait()
        images.stop()
        pixels.stop()
    }
}

extension PictureEncoding {
    var isVector: Bool { PictureCodecs.codec(of: format)?.isVector == true }
}
