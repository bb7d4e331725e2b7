import InkSystem
import Testing

@Suite("Names that are looked for")
struct NameSearchTests {
    @Test(
        "Capitals do not matter in any alphabet, nor how letters with marks are made",
        arguments: [
            ("\u{c4}PFEL.ink", "\u{e4}pf", true), ("a\u{308}pfel.ink", "\u{c4}PF", true),
            ("caf\u{e9}", "cafe\u{301}", true),
            ("\u{c4}pfel", "apf", false), ("cafe\u{301}", "cafe", false), ("Stra\u{df}e", "STRASSE", true),
            ("STRASSE", "stra\u{df}e", true), ("\u{39f}\u{394}\u{39f}\u{3a3}", "\u{3bf}\u{3b4}\u{3bf}\u{3c2}", true),
            ("\u{414}\u{435}\u{43d}\u{44c}.ink", "\u{434}\u{415}\u{43d}", true), ("100%_a.ink", "%_", true),
            ("100 a.ink", "%", false), ("a.ink", "", true), ("", "a", false), ("a*b?c", "*b?", true),
            ("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}", true), ("file\u{fb01}", "FI", true),
        ])
    func finds(name: String, part: String, isFound: Bool) {
        #expect(NameSearch(part).finds(name) == isFound, "\(part) in \(name)")
    }
}
