/// A score of one or more tunes for a pipe band.
package struct ScoreDocument: Hashable, Sendable {
    package var id: ScoreID
    package var metadata = DocumentMetadata()
    package var documentLayout = DocumentLayoutSettings()
    package var tunes: [Tune] = []
    /// In the order of their first notes.
    package var noteGroups: [NoteGroup] = []
}

/// Facts about a score as a whole.
package struct DocumentMetadata: Hashable, Sendable {
    package var title: String = ""
    package var composer: String?
    package var arranger: String?
    package var copyright: String?
    /// ISO 8601, as the file has it.
    package var created: String?
    package var modified: String?
}

/// How a score is laid out on pages.
package struct DocumentLayoutSettings: Hashable, Sendable {
    package enum Paper: String, CaseIterable, Hashable, Sendable {
        case a4, letter, a5
    }

    package enum Orientation: String, CaseIterable, Hashable, Sendable {
        case landscape, portrait
    }

    package enum Fit: String, CaseIterable, Hashable, Sendable {
        case none, shrink, page
    }

    package enum Visibility: String, CaseIterable, Hashable, Sendable {
        case show, hide
    }

    package enum BeamSlope: String, CaseIterable, Hashable, Sendable {
        case flat, slanted
    }

    /// Whether the size of pages comes from these settings or from `Tune.filePage`.
    package enum PageSource: String, CaseIterable, Hashable, Sendable {
        case options, fromFile
    }

    package enum TextFamily: String, CaseIterable, Hashable, Sendable {
        case serif, sans
    }

    package var paper: Paper = .a4
    package var orientation: Orientation = .landscape
    /// Millimetres, 0...100.
    package var margin = 15.0
    /// The distance of two staff lines in millimetres, 0.5...10.
    package var staffSpace = 1.75
    package var keySignature: Visibility = .show
    package var fit: Fit = .shrink
    package var justifyLastLine = true
    package var alignBars = false
    /// The size of gracenotes as a fraction of melody notes, 0.5...0.7.
    package var graceScale = 0.6
    package var graceBeams: BeamSlope = .flat
    package var melodyBeams: BeamSlope = .flat
    package var pageNumbers = false
    package var partLabels = false
    package var page: PageSource = .options
    package var textFamily: TextFamily = .serif
}
