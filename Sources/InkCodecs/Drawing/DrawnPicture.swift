public import InkEngine

/// What a file of lines and areas shows: the elements of a project that are drawn, and how.
public struct DrawnPicture: Sendable {
    /// The name of the project, in errors.
    public var name: String
    public var encoding: PictureEncoding
    /// What the picture shows, in canvas pixels.
    public var canvas: CanvasSize
    /// In pixels.
    public var output: PixelSize
    /// Where in the world the canvas lies; nil: the canvas is the world.
    public var viewport: Viewport?
    public var background: RGBA8
    /// Whether layers without strokes and content are filled with their suggested pattern.
    public var fillsSuggested = false
    /// Whether the base image lies under everything.
    public var hasBaseImage = false
    /// The resolution of a plot; nil: the usual one.
    public var dotsPerInch: Double?
    /// What the file says about itself.
    public var description = PictureDescription()
    let elements: [DrawnTree.Element]

    /// - Parameters:
    ///   - options: of the picture; those of pixels do not count.
    ///   - description: what the file says about itself.
    /// - Throws: as `Project.viewport`, and `EngineError` for what the format cannot hold.
    public init(
        _ project: Project, options: PictureOptions, output: PixelSize, name: String, description: PictureDescription
    ) throws(EngineError) {
        let place = Place(file: name)
        viewport = try project.viewport(options.view, place: place)
        let codecs: [any PictureCodec] = [SVGCodec(), PlotCodec(), VectorPDFCodec()]
        try codecs.first { $0.format == options.encoding.format }?.check(
            output, options.encoding, dotsPerInch: options.dotsPerInch, place: place)
        self.name = name
        encoding = options.encoding
        canvas = viewport?.size ?? project.canvasSize
        self.output = output
        background = options.background ?? project.background
        if options.colorMode == .rgb, !background.isOpaque { background = background.flattenedOnWhite }
        fillsSuggested = options.fillsSuggested
        hasBaseImage = options.includesBaseImage && project.baseImage != nil
        dotsPerInch = options.dotsPerInch
        self.description = description
        elements = DrawnTree(project.layers, chosen: options.layers).drawn(fillsSuggested: options.fillsSuggested)
    }

    /// A picture of elements that have been chosen already.
    ///
    /// - Parameter layers: as `layers` of another picture gives them. Whether there is an image counts, not which.
    package init(
        _ layers: [Layer], name: String, encoding: PictureEncoding, canvas: CanvasSize, output: PixelSize,
        background: RGBA8, fillsSuggested: Bool
    ) {
        self.name = name
        self.encoding = encoding
        self.canvas = canvas
        self.output = output
        self.background = background
        self.fillsSuggested = fillsSuggested
        elements = DrawnTree(layers).drawn(fillsSuggested: fillsSuggested)
    }

    /// All that is drawn, visible and in drawing order.
    package var layers: [Layer] { elements.flatMap(\.layers) }

    /// What its images are rendered from and what became one, found by a walk that writes nothing.
    ///
    /// - Throws: what writing the file throws before its first image, such as `EngineError.overLimit`.
    public func survey() throws(EngineError) -> VectorSurvey { try survey(VectorLimits()) }

    func survey(_ limits: VectorLimits) throws(EngineError) -> VectorSurvey {
        var images: [VectorImage] = []
        let tools = VectorPictureTools(
            write: { _ in },
            image: { (image) throws(EngineError) in
                images.append(image)
                return []
            }, isCancelled: { false })
        let warnings = try VectorPicture(self, tools: tools, limits: limits).survey()
        return VectorSurvey(images: images, warnings: warnings)
    }

    /// Options for images in a picture of these options, which show what it shows, and say nothing about themselves.
    public func options(of image: VectorImage) -> PictureOptions {
        var options = PictureOptions(
            background: image.background, includesBaseImage: image.includesBaseImage, fillsSuggested: fillsSuggested,
            encoding: encoding(of: image), hasMetadata: false)
        // What a view of everything shows depends on what there is.
        options.view = viewport.map {
            .place(center: $0.center, zoom: $0.zoom, rotation: $0.rotation, size: $0.size)
        }
        return options
    }

    private func encoding(of image: VectorImage) -> PictureEncoding {
        PictureEncoding(format: image.format, effort: encoding.effort)
    }
}

/// Facts about a file of lines and areas, found before it is written.
public struct VectorSurvey: Sendable {
    /// In the order in which the file takes them.
    public var images: [VectorImage]
    /// What became an image because the format has no words for it, and what is left out.
    public var warnings: [ReadingWarning]
}

extension RGBA8 {
    /// Opaque.
    fileprivate var flattenedOnWhite: RGBA8 {
        let opacity = Double(alpha)
        func flat(_ value: UInt8) -> UInt8 {
            let level: Double = Double(value) * opacity / 255 + 255 - opacity
            return UInt8(level.rounded())
        }
        return RGBA8(red: flat(red), green: flat(green), blue: flat(blue))
    }
}
