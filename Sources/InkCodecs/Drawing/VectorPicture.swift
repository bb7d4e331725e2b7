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

    /// The longest edge of one with a size of its own.
    package static let maskEdge = 2048

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
    /// Gives the file of an image. The images come in the order of `DrawnPicture.survey`.
    public var image: (VectorImage) throws(EngineError) -> [UInt8]
    /// Called now and then.
    public var isCancelled: () -> Bool

    public init(
        write: @escaping ([UInt8]) throws(EngineError) -> Void,
        image: @escaping (VectorImage) throws(EngineError) -> [UInt8], isCancelled: @escaping () -> Bool
    ) {
        self.write = write
        self.image = image
        self.isCancelled = isCancelled
    }
}

/// Writes a picture as a file of lines and areas: strokes as what they are, layers as groups. What the format cannot say
/// becomes an image of the picture's size.
///
/// The file is made stroke by stroke.
public struct VectorPicture {
    private let scene: VectorScene

    /// - Parameter tools: take the file's bytes and give the images in it.
    public init(_ picture: DrawnPicture, tools: VectorPictureTools) {
        self.init(picture, tools: tools, limits: VectorLimits())
    }

    init(_ picture: DrawnPicture, tools: VectorPictureTools, limits: VectorLimits) {
        scene = VectorScene(picture, tools: tools, limits: limits)
    }

    /// Changes whenever the same project may give another file of a format, whose images this renderer makes.
    public static func version(of format: PictureFormat, renderer: String) -> String {
        let own =
            switch format {
            case .plot: "plot 3"
            case .vectorPDF: "pdf 3"
            default: "svg 3"
            }
        return "\(own) of \(renderer)"
    }

    /// Writes the file.
    ///
    /// - Returns: What became an image because the format has no words for it.
    /// - Throws: what the tools throw, `EngineError.overLimit` for a file of more than `VectorLimits.fileBytes`, and
    ///   `EngineError.cancelled`.
    @discardableResult
    public func write() throws(EngineError) -> [ReadingWarning] {
        switch scene.picture.encoding.format {
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

    /// Asks the tools for the images, and writes nothing.
    func survey() throws(EngineError) -> [ReadingWarning] {
        switch scene.picture.encoding.format {
        case .plot:
            var plot = PlotPicture(scene, isSurvey: true)
            return try plot.write()
        case .vectorPDF:
            var walk = VectorWalk(scene, VectorSurveyor<PDFWriter>())
            return try walk.write()
        default:
            var walk = VectorWalk(scene, VectorSurveyor<SVGWriter>())
            return try walk.write()
        }
    }
}

/// Takes the elements of a picture and writes nothing.
struct VectorSurveyor<File: VectorWriter>: VectorWriter {
    static var name: String { File.name }
    static var imageFormat: PictureFormat { File.imageFormat }
    static var hasAreas: Bool { File.hasAreas }
    static var takesMarks: Bool { false }

    func path(_ line: LineStyle?) -> VectorPath { VectorPath(decimals: 0) }
    func begin() {}
    func end() {}
    func open(_ group: VectorGroup) {}
    func close(_ group: VectorGroup) {}
    func beginMask() -> Int { 0 }
    func endMask() {}
    func addImage(_ file: [UInt8], isPixelated: Bool) {}
    func draw(_ shape: VectorShape) {}
    func draw(_ text: VectorText) {}
    func fill(_ color: RGBA8) {}
    func begin(_ paint: VectorPaint, inside footprint: VectorFootprint?) {}
    func add(_ path: inout VectorPath) {}
    func end(_ paint: VectorPaint) {}
    func begin(_ stamps: VectorStamps) {}
    func add(_ stamp: Stamp, of stamps: VectorStamps) {}
    func end(_ stamps: VectorStamps) {}
}
