import InkEngine

/// A length as a person writes it: a number and a unit, with or without a blank: `24`, `24px`, `3 mm`, `0.5in`.
package struct WrittenLength: Hashable, Sendable {
    /// The units that people write, by their abbreviations.
    package enum Unit: String, Hashable, Sendable, CaseIterable {
        case pixels = "px"
        case millimetres = "mm"
        case centimetres = "cm"
        case inches = "in"
        case points = "pt"

        /// Units in an inch; nil for pixels, of which a resolution says how many there are.
        package var countPerInch: Double? {
            switch self {
            case .pixels: nil
            case .millimetres: 25.4
            case .centimetres: 2.54
            case .inches: 1
            case .points: 72
            }
        }
    }

    /// Not negative.
    package var number: Double
    /// The unit; nil: a plain number.
    package var unit: Unit?

    /// Whether it is a length on paper, which has pixels only at a resolution.
    package var isPhysical: Bool { unit?.countPerInch != nil }

    /// Without a unit and in px: so many pixels.
    package func pixels(dotsPerInch: Double) -> Double {
        unit?.countPerInch.map { number / $0 * dotsPerInch } ?? number
    }

    /// Without a unit and in px: of pixels of this resolution.
    package func points(dotsPerInch: Double) -> Double { pixels(dotsPerInch: dotsPerInch) / dotsPerInch * 72 }

    /// nil for what is not a length.
    package init?(_ text: String) {
        // A program may write a plain number with an exponent.
        if text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let number = Double(text), number.isFinite,
            number >= 0
        {
            self.init(number: number, unit: nil)
            return
        }
        guard let all = Self.read(text), all.count == 1 else { return nil }
        self = all[0]
    }

    /// Width and height: `8.5x11in`, `210 x 297 mm`, `29.7cm x 8in`. One unit holds for both. nil for anything else.
    package static func pair(_ text: String) -> (width: WrittenLength, height: WrittenLength)? {
        guard var all = read(text), all.count == 2 else { return nil }
        all[0].unit = all[0].unit ?? all[1].unit
        all[1].unit = all[1].unit ?? all[0].unit
        return (all[0], all[1])
    }

    /// Lengths with an x between them. The x of px is none.
    private static func read(_ text: String) -> [WrittenLength]? {
        var rest = Substring(text.lowercased().replacing("\u{d7}", with: "x"))
        func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\u{a0}" } }
        var lengths: [WrittenLength] = []
        while true {
            skipBlanks()
            let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            guard let number = Double(plainDecimal: digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            skipBlanks()
            let unit = Unit.allCases.first { rest.hasPrefix($0.rawValue) }
            rest = rest.dropFirst(unit?.rawValue.count ?? 0)
            lengths.append(WrittenLength(number: number, unit: unit))
            skipBlanks()
            if rest.isEmpty { return lengths }
            guard rest.first == "x" else { return nil }
            rest = rest.dropFirst()
        }
    }

    private init(number: Double, unit: Unit?) {
        self.number = number
        self.unit = unit
    }

    /// How lengths may be written, for messages.
    package static let shownUnits = "px, mm, cm, in or pt"
}
