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
    init(_ settings: DocumentLayoutSettings, file page: FilePage?) {
        let page = settings.page == .fromFile ? page : nil
        let millimetres: (Double, Double) =
            switch settings.paper {
            case .a4: (210, 297)
            case .letter: (215.9, 279.4)
            case .a5: (148, 210)
            }
        let isLandscape = (page?.orientation ?? settings.orientation) == .landscape
        let (short, long) = (millimetres.0 * Self.pointsPerMillimetre, millimetres.1 * Self.pointsPerMillimetre)
        (width, height) = isLandscape ? (long, short) : (short, long)
        staffSpace = settings.staffSpace * Self.pointsPerMillimetre
        marginList = Array(repeating: settings.margin * Self.pointsPerMillimetre, count: 4)
        if let page, page.margins.count == 4 { marginList = page.margins.map { Double($0) * 72 / 1000 } }
    }

    /// The width that lines have, in staff spaces.
    var lineWidth: Spaces { Spaces((width - marginList[0] - marginList[2]) / staffSpace) }
    var textHeight: Spaces { Spaces((height - marginList[1] - marginList[3]) / staffSpace) }
}
