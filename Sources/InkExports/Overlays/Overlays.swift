package import InkCodecs
import InkDocuments
package import InkEngine
import InkSystem
import Synchronization

/// The overlays of a run: each picture gets them as layers on top, so that whatever renders it needs to know nothing of them.
package final class Overlays: Sendable {
    private let overlays: [Overlay]
    /// All that has been read for them.
    let files: [String]
    private let limits: Limits
    /// What has been made last: pictures of a run are often of one size.
    private let made = Mutex<[Made]>([])

    private struct Key: Hashable {
        var target: OverlayTarget
        var dotsPerInch: Double?
    }

    private struct Made {
        var key: Key
        var laid: [Overlay.Laid]
        var digest: [UInt8]
    }

    /// Sizes of pictures for which overlays are kept, as far as they are small.
    private static let keptMax = 4
    private static let keptBytesMax = 64 << 20

    /// - Throws: `usage` for a watermark that cannot be, `engine` where a file cannot be read or is wrong, `unavailable`.
    package init(_ arguments: OverlayArguments, limits: Limits) throws(ExportError) {
        self.limits = limits
        var overlays: [Overlay] = []
        var files = arguments.fonts
        if let file = arguments.file {
            let read = try OverlayFile.read(
                file, shown: arguments.shownFile ?? file, fonts: arguments.fonts, dotsPerInch: arguments.dotsPerInch,
                limits: limits)
            overlays = read.overlays
            files += [file] + read.files
        }
        if let watermark = arguments.watermark {
            overlays.append(try Self.overlay(watermark, arguments, limits: limits))
            if try Self.isPicture(watermark) { files.append(watermark) }
        }
        self.files = files
        self.overlays = overlays
    }

    /// What has come of a project with overlays.
    package struct Result: Sendable {
        package var project: Project
        /// The digest of the project and what lies over it.
        package var contentDigest: [UInt8]
        /// The numbers of the new layers (see `[Layer].flattened`).
        package var layers: [Int]
        /// What the picture shows; as it was, but said in numbers where the layers would have changed it.
        package var view: ViewChoice?
        package var warnings: [ReadingWarning]
    }

    /// Lays the overlays over a project for one picture.
    ///
    /// - Parameters:
    ///   - size: of the picture, output pixels.
    ///   - options: of the picture.
    ///   - place: of the project, for errors.
    /// - Throws: `badInput` and `overLimit` that name an overlay; as `Project.viewport`.
    package func adding(
        to project: Project, contentDigest: [UInt8], size: PixelSize, options: PictureOptions, place: Place
    ) throws(EngineError) -> Result {
        let viewport = try project.viewport(options.view, place: place)
        let canvas = viewport?.size ?? project.canvasSize
        let scale = (x: Double(size.width) / canvas.width, y: Double(size.height) / canvas.height)
        let made = try self.made(
            Key(target: OverlayTarget(size: size, scale: scale.x), dotsPerInch: options.dotsPerInch))
        var result = Result(project: project, contentDigest: [], layers: [], view: options.view, warnings: [])
        let digest = SHA256()
        digest.update(label: "project", contentDigest)
        digest.update(label: "overlays", made.digest)
        result.contentDigest = digest.finish()
        if let viewport {
            result.view = .place(
                center: viewport.center, zoom: viewport.zoom, rotation: viewport.rotation, size: viewport.size)
        }
        let order = project.layers.map(\.order).max() ?? 0
        let first = project.layers.elementCount
        for (overlay, laid) in zip(overlays, made.laid) {
            if laid.isCut || laid.pieces.isEmpty {
                result.warnings.append(
                    ReadingWarning(
                        .other, file: overlay.place.file, at: overlay.place.path,
                        laid.pieces.isEmpty
                            ? "the overlay lies outside of the \(size) picture"
                            : "part of the overlay lies outside of the \(size) picture"))
            }
            for piece in laid.pieces {
                let onCanvas = Placement(
                    x: Double(piece.rect.x) / scale.x, y: Double(piece.rect.y) / scale.y,
                    width: Double(piece.rect.width) / scale.x, height: Double(piece.rect.height) / scale.y)
                var layer = Layer(
                    name: "Overlay", order: order, contentImage: piece.image, opacity: overlay.opacity,
                    blendMode: overlay.blendMode)
                layer.contentPlacement = viewport.map { $0.world(onCanvas) } ?? onCanvas
                result.project.layers.append(layer)
                result.layers.append(first + result.layers.count)
            }
        }
        return result
    }

    private func made(_ key: Key) throws(EngineError) -> Made {
        if let known = made.withLock({ $0.first { $0.key == key } }) { return known }
        var laid: [Overlay.Laid] = []
        let digest = SHA256()
        for overlay in overlays {
            let one = try overlay.laid(on: key.target, dotsPerInch: key.dotsPerInch, limits: limits)
            laid.append(one)
            digest.update(label: "overlay \(overlay.opacity) \(overlay.blendMode.rawValue)", [])
            for piece in one.pieces { digest.update(label: piece.rect.description, piece.image.bytes) }
        }
        let new = Made(key: key, laid: laid, digest: digest.finish())
        let byteCount = laid.joinedByteCount
        made.withLock { made in
            made.insert(new, at: 0)
            made.removeLast(max(0, made.count - (byteCount > Self.keptBytesMax ? 1 : Self.keptMax)))
        }
        return new
    }

    // MARK: - The short form

    /// The path of a picture, or a text.
    private static func overlay(
        _ watermark: String, _ arguments: OverlayArguments, limits: Limits
    ) throws(ExportError) -> Overlay {
        var layout = OverlayLayout()
        layout.horizontal = arguments.horizontal ?? layout.horizontal
        layout.vertical = arguments.vertical ?? layout.vertical
        switch arguments.margin {
        case .pixels(let margin): layout.margin = margin
        case .share(let margin): (layout.margin, layout.unit) = (margin, .percent)
        case nil: break
        }
        let content: Overlay.Content
        if try isPicture(watermark) {
            content = .image(try OverlayImages.read(watermark, limits: limits))
            switch arguments.size {
            case .pixels(let width): layout.size = .pixels(width: width, height: nil)
            case .share(let width): layout.size = .percent(width: width)
            case nil: break
            }
        } else {
            layout.size = .own
            var fonts = OverlayFonts()
            for font in arguments.fonts { try fonts.add(font) }
            let size: Overlay.FontSize =
                switch arguments.size {
                case .pixels(let pixels): Overlay.FontSize(pixels, .pixels)
                case .share(let share): Overlay.FontSize(share, .shortSide)
                case nil: Overlay.FontSize(defaultTextShare, .shortSide)
                }
            let chosen = try fonts.chosen(weight: OverlayFonts.regular)
            do throws(EngineError) {
                let place = Place(file: "--watermark")
                content = .text(
                    try TextOverlay(watermark, fonts: chosen, style: TextOverlay.Style(), place: place), size)
            } catch {
                // It stands on the command line, not in a file.
                throw .refused(.usage, Cause(error))
            }
        }
        return Overlay(
            content, layout: layout, opacity: arguments.opacity ?? Overlay.defaultOpacity,
            place: Place(file: "--watermark"))
    }

    /// The size of a watermark's font, as a share of the shorter edge.
    private static let defaultTextShare = 0.03

    /// Whether a watermark is the path of a file: one that is there, or is named like a picture.
    package static func isPicture(_ text: String) throws(ExportError) -> Bool {
        let name = text.lowercased()
        if ImageDecoders.endings.contains(where: { name.hasSuffix($0) && name != $0 }) { return true }
        guard text.utf8.count < 4096, !text.contains("\0"), !text.isEmpty else { return false }
        // A text that no file can be named is no file.
        return (try? FileSystem.status(text))?.map { !$0.isFolder } ?? false
    }
}

extension [Overlay.Laid] {
    fileprivate var joinedByteCount: Int {
        reduce(0) { $0 + $1.pieces.reduce(0) { $0 + $1.image.bytes.count } }
    }
}
