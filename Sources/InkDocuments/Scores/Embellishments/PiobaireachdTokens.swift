/// The embellishments of piobaireachd in BWW.
///
/// There is no manual that gives their notes. Five public tables were compared (two converters to ABC, a word list for
/// ABC, and the tables of two players): a token is drawn where two or more of them agree, and no two agree on something
/// else. Lengths within an embellishment, as of a cadence's E, are not drawn.
enum PiobaireachdTokens {
    /// The tokens that are drawn. One letter for each gracenote: `g a b c d e f G A` from low G to high A.
    static let drawn: [(token: String, notes: String)] = [
        ("crunl", "gdgeafa"), ("crunlb", "gbgeafa"), ("hcrunllgla", "dgeafa"), ("hcrunlla", "daeafa"),
        ("crunlbbrea", "gbgeafa"), ("hcrunllabrea", "daeafa"),
        ("htarla", "dae"), ("htarlg", "dge"), ("tarbrea", "gdge"), ("tarbbrea", "gbge"),
        ("lem", "gdg"), ("lemb", "gbg"), ("hlemla", "da"), ("hlemlg", "dg"),
        ("edre", "eafa"), ("edrelg", "egfg"), ("edrela", "eafa"), ("edreb", "ebfb"), ("edrec", "ecfc"),
        ("edred", "edfd"), ("gedre", "Geafa"), ("tedre", "Aeafa"), ("dre", "afa"),
        ("dare", "feGe"), ("gdare", "GfeGe"), ("tdare", "AfeGe"), ("hedale", "eGe"), ("hedari", "eGefe"),
        ("hchechere", "eAe"), ("tchechere", "AGeAe"),
        ("darodo", "gdgcg"), ("darodo16", "gdgcg"), ("hdarodo", "dgcg"), ("hiharin", "dagag"), ("rodin", "gbg"),
        ("din", "g"), ("chelalho", "fde"),
        ("dili", "AG"), ("tra", "gdc"), ("tra8", "gdc"), ("htra", "dc"),
        ("enbain", "agdg"), ("otro", "bgdg"), ("odro", "cgdg"), ("adeda", "dgeg"),
        ("genbain", "Gagdg"), ("gotro", "Gbgdg"), ("godro", "Gcgdg"), ("gadeda", "Gdgeg"),
        ("tenbain", "Aagdg"), ("totro", "Abgdg"), ("todro", "Acgdg"), ("tadeda", "Adgeg"),
        ("cadged", "Ged"), ("cadge", "Ge"), ("caded", "ed"), ("cade", "e"), ("cadaed", "Aed"), ("cadae", "Ae"),
        ("cadgf", "Gf"), ("cadaf", "Af"),
        ("echolg", "g"), ("echola", "a"), ("echob", "b"), ("echoc", "c"), ("echod", "d"), ("echoe", "e"),
        ("echof", "f"), ("echohg", "G"), ("echoha", "A"),
    ]

    /// Tokens whose notes the tables do not agree on, that have a fermata on a gracenote, or that stand for a sign over or
    /// under the note in place of gracenotes.
    static let refused: Set<String> = {
        var tokens: Set<String> = [
            "embari", "endari", "endarig", "gendari", "chedari", "chedare", "eedre", "chechere", "deda",
            "hcrunl", "hcrunllg", "crunllg", "crunlbrea", "tarlg", "tarblg", "htarlabrea", "lembrea", "lembbrea",
            "hlemlabrea", "tmb", "tmc", "tmd", "cmb", "cmc", "cmd",
            "pembari", "pendari", "pedre", "pdare", "pchedari", "phedari", "pechedari", "pehedari", "pchechere",
            "pdili", "ptra", "phtra", "ptra8", "pgrp", "penbain", "potro", "podro", "padeda", "pdarodo", "pdarodo16",
            "phdarodo", "phiharin", "pl", "plb", "phlla", "phllg", "plbrea", "plbbrea", "phllabrea", "pt", "ptb",
            "ptlg", "ptblg", "phtla", "phtlg", "ptbrea", "ptbbrea", "phtlabrea", "ptmb", "ptmc", "ptmd", "pc", "pcb",
            "pclg", "phcla", "phclg", "pcbrea", "pcbbrea", "phclabrea", "pcmb", "pcmc", "pcmd",
            "pedrelg", "pedrela", "pedreb", "pedrec", "pedred",
        ]
        for cadence in ["ged", "ge", "ed", "e", "aed", "ae", "gf", "af"] { tokens.insert("fcad" + cadence) }
        for form in ["", "t", "h"] {
            for note in ["lg", "la", "b", "c"] {
                tokens.insert("\(form)trip\(note)")
                tokens.insert("p\(form)trip\(note)")
            }
        }
        return tokens
    }()

    /// Whether a word is one that cannot be drawn.
    static func isRefused(_ word: Substring) -> Bool { refused.contains(String(word)) }

    /// The tokens that are drawn, as those of light music are kept.
    static let entries: [EmbellishmentTokens.Entry] = drawn.map { token, notes in
        let (kind, variant) = named[token] ?? (.gracenotes, .auto)
        return EmbellishmentTokens.Entry(
            token: token, kind: kind, variant: variant, graceNotes: notes.compactMap { letters[$0] })
    }

    /// The tokens of kinds that `.pbscore` has names for.
    private static let named: [String: (EmbellishmentKind, EmbellishmentVariant)] = [
        "crunl": (.crunluath, .regular), "crunlb": (.crunluath, .b), "hcrunllgla": (.crunluath, .half),
        "edre": (.edre, .auto), "dare": (.dare, .auto), "lem": (.grip, .regular), "lemb": (.grip, .b),
        "hlemlg": (.grip, .half), "tra": (.dThrow, .regular), "htra": (.dThrow, .half),
    ]

    private static let letters: [Character: Pitch] = [
        "g": .lowG, "a": .lowA, "b": .b, "c": .c, "d": .d, "e": .e, "f": .f, "G": .highG, "A": .highA,
    ]
}
