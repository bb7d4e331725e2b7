import InkEngine

/// The paper of a score and the size of its staves, in points.
struct PageFormat: Hashable, Sendable {
    var width: Double
    var height: Double
    var margins: (left: Double, top: Double, right: Double, bottom: Double) {
        (marginList[0], marginList[1], marginList[2], marginList[3])
    }
    /// The distance of two staff lines.
    var staffSpace: Double
    private var marginList: [Double]

    static let pointsPerMillimetre = 72 / 25.4

    /// - Parameters:
    ///   - settings: of the document.
    ///   - page: what the file says of its page, which counts where the settings want it.
    ///   - choice: what a person asks for, which counts for more than both.
    init(_ settings: DocumentLayoutSettings, file page: FilePage?, _ choice: PaperChoice = PaperChoice()) {
        let page = settings.page == .fromFile ? page : nil
        let own =
            switch settings.paper {
            case .a4: PaperChoice.Size.a4
            case .letter: PaperChoice.Size.letter
            case .a5: PaperChoice.Size.a5
            }
        var paper = choice
        if paper.size == nil {
            paper.size = own
            paper.isLandscape = (page?.orientation ?? settings.orientation) == .landscape
        }
        let size = paper.page ?? CanvasSize(width: 0, height: 0)
        (width, height) = (size.width, size.height)
        staffSpace = choice.staffHeight.map { $0 / 4 } ?? settings.staffSpace * Self.pointsPerMillimetre
        let margin = choice.margin ?? settings.margin * Self.pointsPerMillimetre
        marginList = Array(repeating: margin, count: 4)
        if choice.margin == nil, let page, page.margins.count == 4 {
            marginList = page.margins.map { Double($0) * 72 / 1000 }
        }
    }

    /// The width that lines have, in staff spaces.
    var lineWidth: Spaces { Spaces((width - marginList[0] - marginList[2]) / staffSpace) }
    var textHeight: Spaces { Spaces((height - marginList[1] - marginList[3]) / staffSpace) }
}
