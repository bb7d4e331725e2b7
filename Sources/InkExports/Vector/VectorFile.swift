import InkCodecs
import InkEngine
import InkProtocol
import InkSystem

/// Writes one vector picture: to a hidden file, which gets its name when it is complete.
struct VectorFile {
    private let request: PictureRequest
    private let images: VectorImages
    private let isCancelled: () -> Bool

    /// Bytes that are written at once.
    private static let bufferBytes = 1 << 18

    init(_ request: PictureRequest, images: VectorImages, isCancelled: @escaping () -> Bool) {
        self.request = request
        self.images = images
        self.isCancelled = isCancelled
    }

    func write() throws(PictureFailure) -> (PictureReport, [ReadingWarning]) {
        let output = request.outputs[0]
        let clock = Stopwatch()
        var file: PendingFile
        do throws(SystemFailure) {
            file = try PendingFile(target: output, replaces: request.replacesFile)
        } catch {
            throw PictureFailure(EngineError(error))
        }
        do throws(PictureFailure) {
            var picture = PictureReport(size: request.size)
            let (warnings, digest) = try writeText(to: &file)
            picture.files = [WrittenFile(byteCount: file.byteCount, digest: digest)]
            picture.phases.raster = clock.nanoseconds
            try wrapping { () throws(SystemFailure) in
                try file.sync()
                try file.publish()
            }
            picture.phases.stitch = clock.nanoseconds - picture.phases.raster
            return (picture, warnings)
        } catch {
            file.discard()
            throw error
        }
    }

    private func writeText(to file: inout PendingFile) throws(PictureFailure) -> ([ReadingWarning], digest: [UInt8]) {
        let digest = request.wantsFileDigest ? SHA256() : nil
        let buffer = WriteBuffer()
        /// Why an image failed, in the words of its own error.
        let failed = FailedImage()
        let options = try imageOptions()
        let pending = PendingBox(file)
        func flush() throws(EngineError) {
            try EngineError.wrapping { () throws(SystemFailure) in try pending.file.write(buffer.bytes) }
            digest?.update(buffer.bytes)
            buffer.bytes.removeAll(keepingCapacity: true)
        }
        let tools = VectorPictureTools(
            write: { (bytes) throws(EngineError) in
                buffer.bytes += bytes
                if buffer.bytes.count >= VectorFile.bufferBytes { try flush() }
            },
            render: { [request, images] (image) throws(EngineError) in
                do throws(VectorImageFailure) {
                    var own = options
                    own.background = image.background
                    own.includesBaseImage = image.includesBaseImage
                    own.encoding = PictureEncoding(format: image.format, effort: options.encoding.effort)
                    return try images.render(
                        image.project(of: request.project), name: request.name, size: image.size ?? request.size,
                        options: own)
                } catch {
                    guard case .failed(let failure) = error else { throw .cancelled }
                    failed.failure = failure
                    throw .internalError(failure.reason)
                }
            }, isCancelled: isCancelled)
        defer { file = pending.file }
        do throws(EngineError) {
            let description = request.options.description(
                of: request.project, output: request.size, software: "ink \(ProgramVersion.text)",
                digest: request.options.digest)
            let picture = try VectorPicture(
                request.project, options: request.options, output: request.size, name: request.name,
                description: description, tools: tools)
            let warnings = try picture.write()
            try flush()
            return (warnings, digest?.finish() ?? [])
        } catch {
            throw failed.failure ?? PictureFailure(error)
        }
    }

    /// Those of an image, which shows what the picture shows.
    private func imageOptions() throws(PictureFailure) -> PictureOptions {
        var options = PictureOptions(
            fillsSuggested: request.options.fillsSuggested,
            encoding: PictureEncoding(effort: request.options.encoding.effort), hasMetadata: false)
        do throws(EngineError) {
            // What a view of everything shows depends on what there is.
            let viewport = try request.project.viewport(request.options.view, place: Place(file: request.name))
            options.view = viewport.map {
                .place(center: $0.center, zoom: $0.zoom, rotation: $0.rotation, size: $0.size)
            }
        } catch {
            throw PictureFailure(error)
        }
        return options
    }

    private func wrapping(_ body: () throws(SystemFailure) -> Void) throws(PictureFailure) {
        do throws(SystemFailure) { try body() } catch { throw PictureFailure(EngineError(error)) }
    }

    private final class WriteBuffer { var bytes: [UInt8] = [] }
    private final class FailedImage { var failure: PictureFailure? }
    private final class PendingBox {
        var file: PendingFile
        init(_ file: PendingFile) { self.file = file }
    }
}
