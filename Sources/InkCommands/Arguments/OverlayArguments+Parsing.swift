import InkDocuments
import InkExports

/// The options about watermarks, checked against each other.
extension OverlayArguments {
    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        self.init()
        dotsPerInch = try Resolution(parsed).ofLengths
        file = parsed.value("overlay")
        if file?.isEmpty == true { throw .usage("--overlay is empty") }
        watermark = parsed.value("watermark")
        if watermark?.isEmpty == true { throw .usage("--watermark is empty") }
        fonts = parsed.all("font")
        let own = ["watermark-anchor", "watermark-size", "watermark-opacity", "watermark-margin"]
        if watermark == nil, let option = own.first(where: { parsed.isGiven($0) }) {
            throw .usage("--\(option) needs --watermark")
        }
        if isEmpty, !fonts.isEmpty { throw .usage("--font needs --watermark or --overlay") }
        if let text = parsed.value("watermark-anchor") { try readAnchor(text) }
        size = try Self.length(parsed, "watermark-size", least: 0, isLeastAllowed: false)
        margin = try Self.length(parsed, "watermark-margin", least: 0, isLeastAllowed: true)
        if let text = parsed.value("watermark-opacity") {
            opacity = try TextValue.number(text, option: "--watermark-opacity", in: 0...1)
        }
    }

    /// `bottom-right`, `right-bottom`, `top` (the middle of that edge), `center`.
    private mutating func readAnchor(_ text: String) throws(CommandError) {
        let words = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        func fault() -> CommandError {
            .usage(
                "--watermark-anchor: \"\(text)\" is not top, bottom, left, right, center or two of them, as in top-left"
            )
        }
        guard words.count <= 2 else { throw fault() }
        var given: (horizontal: OverlayLayout.Horizontal?, vertical: OverlayLayout.Vertical?) = (nil, nil)
        for word in words where word != "center" {
            if let found = OverlayLayout.Horizontal(rawValue: word), given.horizontal == nil {
                given.horizontal = found
            } else if let found = OverlayLayout.Vertical(rawValue: word), given.vertical == nil {
                given.vertical = found
            } else {
                throw fault()
            }
        }
        horizontal = given.horizontal ?? .center
        vertical = given.vertical ?? .center
    }

    /// `24`, `24px`, `5 mm`, `5%`.
    private static func length(
        _ parsed: ParsedCommand, _ option: String, least: Double, isLeastAllowed: Bool
    ) throws(CommandError) -> OverlayLength? {
        guard let text = parsed.value(option) else { return nil }
        func isAllowed(_ number: Double, upTo most: Double) -> Bool {
            (number > least || isLeastAllowed && number == least) && number <= most
        }
        // To twelve digits, as it is written: 3.3% is 0.033.
        if text.hasSuffix("%"), let number = Double(text.dropLast().trimmed()), isAllowed(number, upTo: 100) {
            return .share((number * 1e10).rounded() / 1e12)
        }
        let pixels = WrittenLength(text)?.pixels(dotsPerInch: try Resolution(parsed).ofLengths)
        guard let pixels, isAllowed(pixels, upTo: 1_000_000) else {
            throw .usage("--\(option): \"\(text)\" is not a length, as in 24, 5mm, 12pt or 5%")
        }
        return .pixels(pixels)
    }
}
