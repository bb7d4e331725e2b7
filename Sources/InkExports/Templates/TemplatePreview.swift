import InkBroker
import InkCodecs
import InkDocuments
package import InkEngine
package import InkPlanning
import InkSystem

/// Renders templates with their suggested patterns (spec section 6).
package enum TemplatePreview {
    /// Longest edge of a preview, pixels.
    package static let edge = 512
    /// Rows that are rendered at a time: always as many, so that the file does not depend on the machine.
    private static let bandRows = 128

    /// A PNG of the template.
    ///
    /// - Parameters:
    ///   - name: of the template, for messages.
    ///   - size: what a person asks for; nil: a picture for lists, rendered larger and reduced, so that patterns finer
    ///     than its pixels do not beat.
    /// - Throws: errors of rendering.
    package static func render(
        _ project: Project, name: String, size: ExportSize? = nil, limits: Limits
    ) throws(ExportError) -> [UInt8] {
        let images = RenderedImages(workerCount: UsableCores.count(), limits: limits)
        defer { images.stop() }
        func pixels(_ size: ExportSize) throws(ExportError) -> PixelSize {
            try ExportError.wrapping(
                try size.outputSize(canvas: project.canvasSize, limits: limits, place: Place(file: name)))
        }
        func png(of project: Project, _ size: PixelSize) throws(ExportError) -> [UInt8] {
            try images.png(
                of: project, name: name, size: size,
                options: PictureOptions(
                    fillsSuggested: true, tile: PixelSize(width: size.width, height: min(size.height, bandRows)),
                    hasMetadata: false))
        }
        if let size { return try png(of: project, try pixels(size)) }
        let small = try pixels(.longestEdge(edge, name: ""))
        let large = try png(of: project, try pixels(.longestEdge(Thumbnail.oversampling * edge, name: "")))
        let image = try ExportError.wrapping(
            try EncodedImage(checking: large, place: Place(file: name, path: "preview"), limits: limits))
        let reduced = Project(canvasSize: small, background: .transparent, baseImage: image)
        return try png(of: reduced, small)
    }
}

extension RenderedImages {
    /// Renders a project.
    func png(
        of project: Project, name: String, size: PixelSize, options: PictureOptions
    ) throws(ExportError) -> [UInt8] {
        let path = try rethrowing(
            try render(project, name: name, size: size, options: options), as: ExportError.farm)
        return try ExportError.wrapping(try FileSystem.read(path, limitBytes: .max))
    }
}
