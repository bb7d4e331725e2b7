import InkBroker
import InkCodecs
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
    ///   - size: what a person asks for.
    /// - Throws: errors of rendering.
    package static func render(
        _ project: Project, name: String, size: ExportSize = .longestEdge(edge, name: ""), limits: Limits
    ) throws(ExportError) -> [UInt8] {
        let images = RenderedImages(workerCount: UsableCores.count(), limits: limits)
        defer { images.stop() }
        let output = try ExportError.wrapping(
            try size.outputSize(canvas: project.canvasSize, limits: limits, place: Place(file: name)))
        return try images.png(
            of: project, name: name, size: output,
            options: PictureOptions(
                fillsSuggested: true, tile: PixelSize(width: output.width, height: min(output.height, bandRows)),
                hasMetadata: false))
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
