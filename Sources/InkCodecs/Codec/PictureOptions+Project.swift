public import InkEngine

extension PictureOptions {
    /// What of the canvas a picture of these options shows, in canvas pixels.
    ///
    /// - Throws: as `Project.page` and `Project.viewport`.
    public func canvas(of project: Project, place: Place) throws(EngineError) -> CanvasSize {
        let (project, view) = try project.page(view, place: place)
        return try project.viewport(view, place: place)?.size ?? project.canvasSize
    }

    /// What a picture's file says of its resolution: `dotsPerInch`, else the one at which a page has the size of its paper,
    /// else that of the photo or document where the picture shows it in its own size.
    ///
    /// - Parameter output: in pixels.
    public func density(of project: Project, output: PixelSize) -> PictureDensity? {
        if let dotsPerInch { return PictureDensity(across: dotsPerInch, down: dotsPerInch) }
        if let units = project.metadata.unitsPerInch {
            // A view that there is none of is an error elsewhere.
            guard let page = try? self.canvas(of: project, place: Place(file: "")) else { return nil }
            return PictureDensity(
                across: Double(output.width) * units / page.width, down: Double(output.height) * units / page.height)
        }
        let canvas = project.canvasSize
        guard hasMetadata, view == nil, Double(output.width) == canvas.width, Double(output.height) == canvas.height
        else { return nil }
        return project.metadata.density
    }
}
