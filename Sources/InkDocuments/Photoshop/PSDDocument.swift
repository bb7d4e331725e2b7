import InkCodecs
import InkEngine

/// Photoshop files (`.psd`, `.psb`): their layers, with masks, groups, artboards, clipping, modes and opacities. One page.
///
/// What a project cannot say is left out with a warning each: effects, adjustment layers, layers without pixels, masks that
/// are blurred, layers that show by what lies below, and blocks of layers that are unknown. The picture that the file itself holds is taken with
/// `context.takesMerged`, and where there are no layers.
struct PSDDocument: DocumentReader {
    let endings = [".psd", ".psb"]
    let hasOwnSize = true
    let holdsMerged = true

    func recognizes(_ head: DocumentHead) -> Bool { head.bytes.starts(with: PSDFile.magic) }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        let place = Place(file: name)
        guard case .file(let bytes) = consume content else {
            throw .badInput(place, reason: "is a folder, not a Photoshop file")
        }
        let digest = SHA256()
        digest.update(label: context.takesMerged ? "psd, merged" : "psd", bytes)
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
        onPage(
            .success(
                DocumentPage(
                    reading: ProjectReading(
                        project: project, warnings: layers.tree.warnings.all, contentDigest: digest.finish()))))
    }
}
