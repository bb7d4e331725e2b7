import InkCodecs
import InkEngine

/// Photoshop files (`.psd`, `.psb`): their layers, with masks, groups, artboards, clipping, modes and opacities. One page.
///
/// What a project cannot say is left out with a warning each: effects, adjustment layers, layers without pixels, masks that
/// are blurred, layers that show by what lies below, and blocks of layers that are unknown. The picture that the file itself holds is taken with
/// `context.takesMerged`, and where there are no layers.
struct PSDDocument: FileDocumentReader {
    let what = "a Photoshop file"
    let label = "psd"
    let endings = [".psd", ".psb"]
    let hasOwnSize = true
    let holdsMerged = true

    func recognizes(_ head: DocumentHead) -> Bool { head.bytes.starts(with: PSDFile.magic) }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let bytes = bytes
        let file = try PSDFile(bytes, place: place, limits: context.limits)
        guard file.size.longestEdge <= context.limits.edgePixels else {
            throw .overLimit(
                place, what: "the picture", found: "\(file.size)", limit: "\(context.limits.edgePixels) pixels an edge")
        }
        var layers = PSDLayers(file, bytes, place: place, limits: context.limits)
        var project: Project
        if file.records.isEmpty || context.takesMerged {
            project = try layers.mergedProject()
        } else {
            project = try layers.project()
        }
        project.hasColorProfiles = true
        if file.mode == .rgb, let warning = FileColors(profile: file.profile).warning { layers.tree.warn(warning) }
        project.metadata.take(SourceMetadata(MetadataCarriers(of: file.metadata)), &layers.tree.warnings)
        layers.tree.addGuessedColors(of: project)
        return (project, layers.tree.warnings.all)
    }
}
