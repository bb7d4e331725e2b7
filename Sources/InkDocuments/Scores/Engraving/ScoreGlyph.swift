import InkCodecs
import InkEngine

/// A musical symbol, by its name in SMuFL.
enum ScoreGlyph: String, CaseIterable, Sendable {
    case gClef, unpitchedPercussionClef1
    case noteheadWhole, noteheadHalf, noteheadBlack, noteheadXBlack, noteheadDiamondBlack, noteheadCircleX
    case augmentationDot
    case flag8thUp, flag8thDown, flag16thUp, flag16thDown, flag32ndUp, flag32ndDown
    case accidentalFlat, accidentalNatural, accidentalSharp
    case restWhole, restHalf, restQuarter, rest8th, rest16th, rest32nd
    case timeSig0, timeSig1, timeSig2, timeSig3, timeSig4, timeSig5, timeSig6, timeSig7, timeSig8, timeSig9
    case timeSigCommon, timeSigCutCommon
    case fermataAbove, articAccentAbove, segno, coda, repeatDot
    case tremolo1, tremolo2, tremolo3, buzzRoll
    case dynamicPiano, dynamicMezzo, dynamicForte, dynamicPP, dynamicMP, dynamicMF, dynamicFF
    case tuplet0, tuplet1, tuplet2, tuplet3, tuplet4, tuplet5, tuplet6, tuplet7, tuplet8, tuplet9

    /// What is drawn for it, in staff spaces.
    struct Outline: Sendable {
        /// y downwards.
        var path: ShapePath
        var advance: Spaces
        /// y upwards, from the symbol's origin.
        var box: StaffBox
    }

    var outline: Outline { Self.outlines[index] }
    var advance: Spaces { outline.advance }
    var box: StaffBox { outline.box }

    /// The symbol's place in `allCases`.
    private var index: Int { Self.indices[self] ?? 0 }
    private static let indices = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))

    /// The outlines in the order of `allCases`.
    private static let outlines: [Outline] = {
        let empty = Outline(path: ShapePath(), advance: 0, box: StaffBox(minX: 0, minY: 0, maxX: 0, maxY: 0))
        var outlines = Array(repeating: empty, count: allCases.count)
        for line in ScoreTables.glyphs {
            let words = line.tableWords(maxSplits: 6)
            let numbers = words.dropFirst().prefix(5).compactMap { Double($0) }
            guard words.count == 7, numbers.count == 5, let glyph = ScoreGlyph(rawValue: String(words[0])) else {
                continue
            }
            let lengths = numbers.map { Spaces($0 / unitsPerSpace) }
            outlines[glyph.index] = Outline(
                path: SVGPathData(String(words[6])).path.mapped(AffineMap(a: 1 / unitsPerSpace, d: -1 / unitsPerSpace)),
                advance: lengths[0],
                box: StaffBox(minX: lengths[1], minY: lengths[2], maxX: lengths[3], maxY: lengths[4]))
        }
        return outlines
    }()

    private static let unitsPerSpace = 250.0

    /// The figures of a time signature.
    static func timeSignature(_ number: Int) -> [ScoreGlyph] { figures(number, "timeSig") }

    /// The figures of a tuplet's number.
    static func tuplet(_ number: Int) -> [ScoreGlyph] { figures(number, "tuplet") }

    private static func figures(_ number: Int, _ name: String) -> [ScoreGlyph] {
        String(number).compactMap { ScoreGlyph(rawValue: name + String($0)) }
    }
}
