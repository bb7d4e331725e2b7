public import InkCodecs
public import InkEngine

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
