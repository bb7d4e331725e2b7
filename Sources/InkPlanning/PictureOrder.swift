public import InkCodecs
public import InkEngine
public import InkProtocol

/// A picture of a project: all that is to be known of it besides the project.
public struct PictureOrder: Hashable, Sendable {
    /// Output pixels; see `ExportSize.outputSize(canvas:limits:)`.
    public var output: PixelSize
    public var options: PictureOptions
    /// The program's name and version, written into pictures with metadata.
    public var software: String

    public init(output: PixelSize, options: PictureOptions = PictureOptions(), software: String = "") {
        self.output = output
        self.options = options
        self.software = software
    }
}

/// What puts the pieces of pictures together.
public typealias AssemblerMaker = @Sendable (PictureHead) throws(EngineError) -> any PictureAssembler

extension PictureOrder {
    /// The order for what is wanted of a project.
    ///
    /// - Parameter place: names the project in messages.
    /// - Throws: `badInput` for a size or a layer that the project does not have, `overLimit`.
    public init(
        _ picture: PictureSpec, of project: Project, software: String, limits: Limits, place: Place
    ) throws(EngineError) {
        let size: PixelSize
        switch picture.size {
        case .exact(let exact):
            try ExportSize.check(exact, limits: limits, place: place)
            size = exact
        case .named(let text):
            guard let named = ExportSize(text) else { throw .badInput(place, reason: "\"\(text)\" is not a size") }
            let canvas = try picture.options.canvas(of: project, place: place)
            size = try named.outputSize(canvas: canvas, limits: limits, place: place)
        }
        let layerCount = project.layers.elementCount
        if let wrong = picture.options.layers?.first(where: { $0 >= layerCount }) {
            throw .badInput(place, reason: "there is no layer \(wrong + 1), the project has \(layerCount)")
        }
        self.init(output: size, options: picture.options, software: software)
    }
}
