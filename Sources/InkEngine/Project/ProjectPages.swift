/// Pages of a document that are projects of their own, each made when it is needed.
///
/// The document itself is a project without elements, whose viewports give the names and the sizes of the pages.
public protocol ProjectPages: Sendable {
    /// A page by its number from 0, with what is to be seen of it: nil for its canvas. There may be further ones behind
    /// those that the document's viewports name.
    ///
    /// - Throws: `badInput` and `overLimit` for a page that there is not, or that cannot be made.
    func page(_ index: Int) throws(EngineError) -> (project: Project, view: ViewChoice?)
}

extension Project {
    /// The project that a picture shows, and the view of it: a page where the pages are projects, else the project as it
    /// is.
    ///
    /// - Parameters:
    ///   - view: what the picture shows; nil: the first page.
    ///   - place: names the project in errors.
    /// - Throws: `badInput` at `place` for a page that there is not, and for a part of one; what making the page throws.
    package func page(_ view: ViewChoice?, place: Place) throws(EngineError) -> (project: Project, view: ViewChoice?) {
        guard let pages else { return (self, view) }
        switch view {
        case nil: return try pages.page(0)
        case .index(let index): return try pages.page(index)
        case .named(let name):
            _ = try viewport(view, place: place)
            return try pages.page(viewports.firstIndex { $0.name == name } ?? 0)
        case .place, .fit:
            throw .badInput(place, reason: "a picture shows a page of it, which --viewport names; not a part of one")
        }
    }
}

/// How a drawing becomes a picture of another size.
public enum DrawingScaling: Hashable, Sendable {
    /// Everything is made in the picture's size.
    case smooth
    /// The drawing is made in the size of its canvas. Its pixels are then repeated, as often as the picture has room, and
    /// stay squares.
    case pixel
}
