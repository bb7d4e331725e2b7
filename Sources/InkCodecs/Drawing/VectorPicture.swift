public import InkEngine

/// An image in a vector picture: a part of the project that somebody else renders.
public struct VectorImage: Sendable {
    /// Siblings of the top level, all visible.
    public var layers: [Layer]
    public var background: RGBA8
    public var includesBaseImage: Bool
    /// The format of its file.
    public var format: PictureFormat
    /// In pixels; nil: that of the picture.
    public var size: PixelSize?

    /// A project that shows the image and nothing else.
    public func project(of project: Project) -> Project {
        var own = project
        own.layers = layers
        own.background = background
        if !includesBaseImage { own.baseImage = nil }
        return own
    }
}

/// What a vector picture needs while it is written.
public struct VectorPictureTools {
    /// Takes the file's bytes in order.
    public var write: ([UInt8]) throws(EngineError) -> Void
    /// Renders an image, and gives the path of its file, which is read once.
    public var render: (VectorImage) throws(EngineError) -> String
    /// Called now and then.
    public var isCancelled: () -> Bool

    public init(
        write: @escaping ([UInt8]) throws(EngineError) -> Void,
        render: @escaping (VectorImage) throws(EngineError) -> String, isCancelled: @escaping () -> Bool
    ) {
        self.write = write
        self.render = render
        self.isCancelled = isCancelled
    }
}

/// Writes a picture as a file of lines and areas: strokes as what they are, layers as groups. What the format cannot say
/// becomes an image of the picture's size.
///
/// The file is made stroke by stroke.
public struct VectorPicture {
    private let scene: VectorScene

    /// - Parameters:
    ///   - project: what is drawn.
    ///   - options: of the picture; those of pixels do not count.
    ///   - output: the picture's size in pixels, which images have.
    ///   - name: of the project, in errors.
    ///   - description: what the file says about itself.
    ///   - tools: take the file's bytes and render the images in it.
    /// - Throws: as `Project.viewport`, and `EngineError` for what the format cannot hold.
    public init(
        _ project: Project, options: PictureOptions, output: PixelSize, name: String, description: PictureDescription,
        tools: VectorPictureTools
    ) throws(EngineError) {
        try self.init(
            project, options: options, output: output, name: name, description: description, tools: tools,
            limits: VectorLimits())
    }

    init(
        _ project: Project, options: PictureOptions, output: PixelSize, name: String, description: PictureDescription,
        tools: VectorPictureTools, limits: VectorLimits
    ) throws(EngineError) {
        scene = try VectorScene(
            project, options: options, output: output, name: name, description: description, tools: tools,
            limits: limits)
    }

    /// Changes whenever the same project may give another file of a format.
    public static func version(of format: PictureFormat) -> String {
        let own =
            switch format {
            case .plot: "plot 1"
            case .vectorPDF: "pdf 1"
            default: "svg 1"
            }
        return "\(own) of \(TileRenderer.version)"
    }

    /// Writes the file.
    ///
    /// - Returns: What became an image because the format has no words for it.
    /// - Throws: what the tools throw, and `EngineError.cancelled`.
    public func write() throws(EngineError) -> [ReadingWarning] {
        switch scene.options.encoding.format {
        case .plot:
            var plot = PlotPicture(scene)
            return try plot.write()
        case .vectorPDF:
            var walk = VectorWalk(scene, PDFWriter(scene))
            return try walk.write()
        default:
            var walk = VectorWalk(scene, SVGWriter(scene))
            return try walk.write()
        }
    }
}
