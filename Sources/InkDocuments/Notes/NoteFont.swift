import InkEngine

/// The font that notes of other programs are set in, whatever they name.
enum NoteFont {
    /// DejaVu Sans; nil where it is not installed.
    static let sans: Font? = {
        for folder in ["/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts"] {
            let path = "\(folder)/DejaVuSans.ttf"
            // A font that cannot be read is as good as one that is not installed.
            guard let bytes = try? InputFile.read(path: path, limitBytes: 32 << 20) else { continue }
            return try? Font(bytes, place: Place(file: path))
        }
        return nil
    }()
}

extension ShapePath {
    /// Adds the contours of a glyph.
    mutating func add(_ outline: GlyphOutline, _ map: (Point) -> Point) {
        var isOpen = false
        for step in outline.steps {
            switch step {
            case .move(let point):
                if isOpen { close() }
                move(to: map(point))
            case .line(let point): line(to: map(point))
            case .quadratic(let control, let point): quadratic(map(control), to: map(point))
            case .cubic(let first, let second, let point): cubic(map(first), map(second), to: map(point))
            }
            isOpen = true
        }
        if isOpen { close() }
    }
}
