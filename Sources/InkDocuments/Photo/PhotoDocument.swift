import InkCodecs
import InkEngine

/// A picture itself, such as a photo, as a project: a canvas of its size, upright, with the picture as the only layer. Its
/// colour profile counts. One page.
struct PhotoDocument: FileDocumentReader {
    let what = "a picture"
    let label = "photo"
    let pictureEndings = ImageDecoders.endings
    let hasOwnSize = true

    /// By content. A project or an archive is never a picture, so a picture with such a name is a mistake, which the readers
    /// of those explain.
    func recognizes(_ head: DocumentHead) -> Bool {
        let name = head.name.lowercased()
        guard !head.isFolder, !name.hasSuffix(".ink"), !name.hasSuffix(".zip") else { return false }
        return Self.decoder(of: head.bytes) != nil
    }

    /// The format that has pictures of this kind; nil if the bytes are no picture, or of a kind that is only read.
    static func format(of bytes: [UInt8]) -> (any PictureCodec)? {
        decoder(of: bytes)?.fileType.flatMap { PictureCodecs.codec(named: $0.name) }
    }

    private static func decoder(of bytes: [UInt8]) -> (any ImageDecoder)? {
        ImageDecoders.photos.first { $0.recognizes(bytes) }
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let bytes = bytes
        let source = SourceMetadata(of: bytes)
        var image = try EncodedImage(checking: bytes, place: place, limits: context.limits)
        image.place = ""
        let size = image.size
        guard size.longestEdge <= context.limits.edgePixels else {
            throw .overLimit(
                place, what: "the picture", found: "\(size)", limit: "\(context.limits.edgePixels) pixels an edge")
        }
        var project = Project(
            canvasSize: size, background: image.header.hasAlpha ? .transparent : .white,
            layers: [Layer(id: "picture", name: "Picture", contentImage: image)])
        project.hasColorProfiles = true
        var warnings = Warnings()
        image.addColorWarnings(convertsProfiles: true) { warnings.add($0) }
        project.metadata.take(source, &warnings)
        return (project, warnings.all)
    }
}
