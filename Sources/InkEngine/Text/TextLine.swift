/// A line of text as glyphs, for any size: lengths are in ems.
package struct TextLine: Sendable {
    package struct PlacedGlyph: Sendable {
        package var font: Font
        package var number: UInt32
        /// The place of its origin; y grows upwards from the baseline.
        package var place: Point
    }

    package private(set) var glyphs: [PlacedGlyph] = []
    /// From the first glyph's origin to the end of the last one.
    package private(set) var advance = 0.0
    /// The ascent of the named font, not of what is drawn: lines of one font stand alike.
    package let ascent: Double
    package let descent: Double

    static let charactersMax = 1_000

    /// Sets a text: direction by its first strong character, ligatures and joined forms as the fonts have them.
    ///
    /// - Parameters:
    ///   - fonts: the named one, then those that are asked, in this order, for what it lacks.
    ///   - place: of the text, for errors.
    /// - Throws: `badInput` at `place` for a text of several lines, without visible characters or with one that no font
    ///   has; `overLimit`.
    package init(_ text: String, fonts: [Font], place: Place) throws(EngineError) {
        precondition(!fonts.isEmpty, "a text needs a font")
        ascent = fonts[0].ascent / fonts[0].unitsPerEm
        descent = fonts[0].descent / fonts[0].unitsPerEm
        let characters = Array(text.unicodeScalars)
        try Self.check(characters, place)
        let codes = characters.map(\.value)
        let levels = try Characters.levels(codes)
        let scripts = Self.scripts(characters)
        let chosen = try Self.fonts(of: characters, among: fonts, place)
        var runs: [Run] = []
        for index in characters.indices {
            let run = Run(range: index..<(index + 1), level: levels[index], script: scripts[index], font: chosen[index])
            if let last = runs.last, last.joins(run) {
                runs[runs.count - 1].range = last.range.lowerBound..<(index + 1)
            } else {
                runs.append(run)
            }
        }
        for run in Self.ordered(runs) {
            let font = fonts[run.font]
            let em = font.unitsPerEm
            let shaped = try font.shape(
                codes, run.range, isRightToLeft: !run.level.isMultiple(of: 2), script: run.script)
            for glyph in shaped {
                let character = characters[glyph.character]
                if glyph.number == 0, !Characters.isIgnorable(character) { throw Self.missing(character, fonts, place) }
                let isDrawn = try !font.outline(glyph.number).steps.isEmpty
                if !isDrawn, font.hasColors, !character.properties.isWhitespace, !Characters.isIgnorable(character) {
                    throw .badInput(
                        place,
                        reason:
                            "\(Self.shown(character)) is a coloured picture in \(font.family); place a picture of it")
                }
                if isDrawn, glyph.number != 0 {
                    let place = Point(x: advance + glyph.offset.x / em, y: glyph.offset.y / em)
                    glyphs.append(PlacedGlyph(font: font, number: glyph.number, place: place))
                }
                advance += glyph.advance / em
            }
        }
        guard !glyphs.isEmpty, advance > 0 else { throw .badInput(place, reason: "the text has nothing to draw") }
    }

    /// Characters that are set together.
    private struct Run {
        var range: Range<Int>
        var level: Int8
        var script: UInt32
        var font: Int

        func joins(_ next: Run) -> Bool { level == next.level && script == next.script && font == next.font }
    }

    private static func check(_ characters: [Unicode.Scalar], _ place: Place) throws(EngineError) {
        guard characters.count <= charactersMax else {
            throw .overLimit(
                place, what: "the text", found: "\(characters.count) characters", limit: "\(charactersMax) characters")
        }
        for character in characters {
            if character.properties.isWhitespace,
                (0x0A...0x0D).contains(character.value) || character.value == 0x85
                    || (0x2028...0x2029).contains(character.value)
            {
                throw .badInput(place, reason: "the text has a line break; a text is one line")
            }
            if character.properties.generalCategory == .control {
                throw .badInput(place, reason: "the text has the control character \(code(character))")
            }
        }
    }

    /// Characters without a script of their own take that of what is before them, at the beginning that of what follows.
    private static func scripts(_ characters: [Unicode.Scalar]) -> [UInt32] {
        var scripts = characters.map { Characters.script($0) }
        var current = scripts.first { $0 != 0 } ?? 0
        for index in scripts.indices {
            if scripts[index] == 0 { scripts[index] = current } else { current = scripts[index] }
        }
        return scripts
    }

    /// For each character the first font that has it and the marks behind it.
    private static func fonts(
        of characters: [Unicode.Scalar], among fonts: [Font], _ place: Place
    ) throws(EngineError) -> [Int] {
        var chosen: [Int] = []
        while chosen.count < characters.count {
            let start = chosen.count
            var end = start + 1
            while end < characters.count, Characters.isMark(characters[end]) { end += 1 }
            let needed = characters[start..<end].filter { !Characters.isIgnorable($0) }
            let font =
                fonts.firstIndex { font in needed.allSatisfy(font.has) }
                // Marks may be joined with their letter to one that the font has.
                ?? needed.first.flatMap { first in fonts.firstIndex { $0.has(first) } }
            guard let font else { throw missing(needed[0], fonts, place) }
            chosen += Array(repeating: font, count: end - start)
        }
        return chosen
    }

    /// Runs in the order in which they stand from the left (Unicode Standard Annex 9, rule L2).
    private static func ordered(_ runs: [Run]) -> [Run] {
        var runs = runs
        let levels = runs.map(\.level)
        guard let most = levels.max(), let leastOdd = levels.filter({ !$0.isMultiple(of: 2) }).min() else {
            return runs
        }
        for level in stride(from: most, through: leastOdd, by: -1) {
            var start = 0
            while start < runs.count {
                guard runs[start].level >= level else {
                    start += 1
                    continue
                }
                var end = start
                while end < runs.count, runs[end].level >= level { end += 1 }
                runs[start..<end].reverse()
                start = end
            }
        }
        return runs
    }

    private static func missing(_ character: Unicode.Scalar, _ fonts: [Font], _ place: Place) -> EngineError {
        let names = fonts.map(\.family).joined(separator: ", ")
        return .badInput(place, reason: "\(names) has no glyph for \(shown(character)); give a font that has one")
    }

    private static func shown(_ character: Unicode.Scalar) -> String { "\"\(character)\" (\(code(character)))" }

    private static func code(_ character: Unicode.Scalar) -> String {
        let digits = String(character.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
