package import InkEngine

/// Suggests patterns for the layers of a template, such that neighbours look different.
package enum PatternSuggestion {
    /// What is to be filled.
    package struct Area: Hashable, Sendable {
        package var color: RGBA8
        /// Whether a pattern would not show.
        package var isThin: Bool

        package init(color: RGBA8, isThin: Bool) {
            self.color = color
            self.isThin = isThin
        }
    }

    private struct Style {
        var type: BrushType
        var rotation: Double
        var spacing: Double
    }

    /// One after the other differs as much as possible.
    private static let styles = [
        Style(type: .parallelLines, rotation: 45, spacing: 5), Style(type: .dots, rotation: 0, spacing: 8),
        Style(type: .crossHatch, rotation: 0, spacing: 8), Style(type: .waves, rotation: 0, spacing: 6),
        Style(type: .parallelLines, rotation: 135, spacing: 5), Style(type: .crossHatch, rotation: 45, spacing: 8),
        Style(type: .dots, rotation: 45, spacing: 7), Style(type: .waves, rotation: 90, spacing: 6),
        Style(type: .parallelLines, rotation: 0, spacing: 5), Style(type: .parallelLines, rotation: 90, spacing: 5),
        Style(type: .waves, rotation: 45, spacing: 6), Style(type: .crossHatch, rotation: 22.5, spacing: 10),
        Style(type: .dots, rotation: 22.5, spacing: 10), Style(type: .waves, rotation: 135, spacing: 6),
    ]

    /// The luminance that lines on white paper have at most.
    private static let lumaMax = 150

    /// - Parameters:
    ///   - areas: the most important first.
    ///   - neighbours: for each area those beside it.
    /// - Returns: a pattern for each area.
    package static func patterns(for areas: [Area], neighbours: [[Int]]) -> [SuggestedPattern] {
        var chosen: [Int?] = Array(repeating: nil, count: areas.count)
        var uses = [Int](repeating: 0, count: styles.count)
        return areas.indices.map { index in
            let color = areas[index].color
            guard !areas[index].isThin else { return SuggestedPattern(type: .solid, color: color) }
            let beside = neighbours[index].compactMap { chosen[$0] }
            func cost(_ style: Int) -> Int {
                beside.reduce(uses[style]) { cost, other in
                    cost + (other == style ? 10_000 : styles[other].type == styles[style].type ? 100 : 0)
                }
            }
            let best = styles.indices.min { (cost($0), $0) < (cost($1), $1) } ?? 0
            chosen[index] = best
            uses[best] += 1
            let style = styles[best]
            return SuggestedPattern(
                type: style.type, rotation: style.rotation, spacing: style.spacing, color: visible(color))
        }
    }

    /// The colour, darker if it would not show on white.
    private static func visible(_ color: RGBA8) -> RGBA8 {
        let luma = FlatColor(color).luma
        guard luma > lumaMax else { return color }
        func darker(_ channel: UInt8) -> UInt8 { UInt8((Int(channel) * lumaMax + luma / 2) / luma) }
        return RGBA8(red: darker(color.red), green: darker(color.green), blue: darker(color.blue))
    }
}
