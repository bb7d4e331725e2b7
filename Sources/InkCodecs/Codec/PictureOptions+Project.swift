public import InkEngine

extension PictureOptions {
    /// What of the canvas a picture of these options shows, in canvas pixels.
    ///
    /// - Throws: as `Project.page` and `Project.viewport`.
    public func canvas(of project: Project, place: Place) throws(EngineError) -> CanvasSize {
        let (project, view) = try project.page(view, place: place)
        return try project.viewport(view, place: place)?.size ?? project.canvasSize
    }

    /// What a picture's file says of its resolution: `dotsPerInch`, else that of the photo or document where the picture
    /// shows it in its own size.
    ///
    /// - Parameter output: in pixels.
    public func density(of project: Project, output: PixelSize) -> PictureDensity? {
        if let dotsPerInch { return PictureDensity(across: dotsPerInch, down: dotsPerInch) }
        let canvas = project.canvasSize
        guard hasMetadata, view == nil, Double(output.width) == canvas.width, Double(output.height) == canvas.height
        else { return nil }
        return project.metadata.density
    }
}
