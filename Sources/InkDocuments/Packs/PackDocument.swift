import InkCodecs
package import InkEngine

/// A pack (`.inkpack`): one page for each item, which is a project of its own.
struct PackDocument: DocumentReader {
    let endings = [".inkpack"]
    let mayHavePages = true
    let isProject = true

    /// By its name, and JSON text that has items but no canvas.
    func recognizes(_ head: DocumentHead) -> Bool {
        if head.name.lowercased().hasSuffix(".inkpack") { return !head.isFolder }
        guard head.bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") else { return false }
        return (head.bytes.holds("\"items\"") || head.bytes.holds("\"matrix\"")) && head.bytes.holds("\"base\"")
            && !head.bytes.holds("\"canvas")
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        guard case .file(let bytes) = consume content else {
            throw .badInput(Place(file: name), reason: "is a folder, not a pack")
        }
        let digest = SHA256()
        digest.update(label: "pack", bytes)
        let pack = try PackReader.read(bytes, file: name, limits: context.limits)
        var warnings = Warnings()
        let pictures = try PackPictures(
            of: pack, file: name, companions: context.companions, limits: context.limits, digest, &warnings)
        var project = Project(id: pack.info.id, name: pack.info.name, canvasSize: nil, background: .transparent)
        for item in pack.items.indices { project.viewports.append(pictures.viewport(ofItem: item, in: pack)) }
        project.hasPages = true
        project.pages = try PackPages(pack, pictures, file: name, limits: context.limits)
        project.metadata = ProjectMetadata(
            author: pack.info.author.isEmpty ? nil : pack.info.author,
            license: pack.info.license.isEmpty ? nil : pack.info.license)
        onPage(
            .success(
                DocumentPage(
                    reading: ProjectReading(
                        project: project, warnings: warnings.all, contentDigest: digest.finish()))))
    }
}

extension Project {
    /// The pack whose items are the pages; nil for anything else.
    package var pack: Pack? { (pages as? PackPages)?.pack }

    /// The pictures of a pack, opened, with the sizes that they are shown in; none for anything else.
    package var packPictures: [(project: Project, canvas: CanvasSize)] {
        (pages as? PackPages)?.pictures.images.map { ($0.project, $0.canvas) } ?? []
    }
}
