/// What stands before the music of a tune in a BWW file.
struct BWWHead {
    var texts: [ScoreText] = []
    var tempo: Int?
    var page: FilePage?

    /// The first words of lines that say how a tune is played back, which does not change the page.
    private static let readOver = [
        "MIDINoteMappings,", "FrequencyMappings,", "InstrumentMappings,", "GracenoteDurations,", "FontSizes,",
    ]
    /// The programs that write their names into the first line.
    private static let programs = ["Bagpipe Reader:", "Bagpipe Music Writer Gold:", "Bagpipe Musicworks Gold:"]

    /// Whether a line names the program that wrote the file.
    static func isSignature(_ line: Substring) -> Bool { programs.contains { line.hasPrefix($0) } }

    /// Takes a line of the head that is no text; returns false for any other line.
    mutating func take(_ line: Substring) -> Bool {
        if let tempo = Self.tempo(line) {
            self.tempo = tempo
            return true
        }
        if line.hasPrefix("TuneTempo,") { return true }
        if line.hasPrefix("TuneFormat,") {
            page = Self.page(line)
            return true
        }
        return Self.isSignature(line) || Self.readOver.contains { line.hasPrefix($0) }
    }

    /// Beats a minute of `TuneTempo,80`; nil for other words.
    static func tempo(_ word: Substring) -> Int? {
        guard word.hasPrefix("TuneTempo,"), let tempo = Int(word.dropFirst(10).trimmed), (1...999).contains(tempo)
        else { return nil }
        return tempo
    }

    /// The page of `TuneFormat,(1,0,M,L,500,500,500,500,P,0,0)`.
    private static func page(_ line: Substring) -> FilePage? {
        let fields = line.split(separator: ",").map(\.trimmed)
        guard fields.count > 9 else { return nil }
        let margins = fields[5...8].compactMap { Int($0) }.filter { (0...20_000).contains($0) }
        guard margins.count == 4 else { return nil }
        return FilePage(orientation: fields[9] == "L" ? .landscape : .portrait, margins: margins)
    }

    /// The text of a line `"text",(T,L,0,0,Times New Roman,16,700,...)`; nil for a comment.
    static func text(_ line: Substring) -> ScoreText? {
        guard let list = line.range(of: "\",("), list.lowerBound > line.startIndex else { return nil }
        let text = line[line.index(after: line.startIndex)..<list.lowerBound]
        let fields = line[list.upperBound...].split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
        guard let first = fields.first, let kind = kinds[String(first.trimmed)]
        else { return nil }
        let alignment: ScoreText.Alignment =
            switch fields.dropFirst().first?.trimmed {
            case "L": .left
            case "C": .center
            case "R": .right
            default: ScoreText.usualAlignment(of: kind)
            }
        return ScoreText(kind: kind, text: String(text.trimmed), alignment: alignment)
    }

    private static let kinds: [String: ScoreText.Kind] = [
        "T": .title, "Y": .type, "M": .composer, "F": .footer, "I": .inline,
    ]

    var hasTitle: Bool { texts.contains { $0.kind == .title } }

    /// Puts what the head says into a tune, where the tune does not say it itself.
    func apply(to tune: inout Tune) {
        func texts(_ kind: ScoreText.Kind) -> [ScoreText] { self.texts.filter { $0.kind == kind && !$0.text.isEmpty } }
        var metadata = tune.metadata
        func set(_ kind: ScoreText.Kind, _ field: WritableKeyPath<TuneMetadata, String?>, _ found: [ScoreText]) {
            guard metadata[keyPath: field] == nil, let first = found.first else { return }
            metadata[keyPath: field] = found.map(\.text).joined(separator: " ")
            if first.alignment != ScoreText.usualAlignment(of: kind) { metadata.alignments[kind] = first.alignment }
        }
        let title = texts(.title)
        if metadata.title.isEmpty, let first = title.first {
            metadata.title = title.map(\.text).joined(separator: " ")
            if first.alignment != .left { metadata.alignments[.title] = first.alignment }
        }
        let composers = texts(.composer)
        set(.composer, \.composer, Array(composers.prefix(1)))
        set(.arranger, \.arranger, Array(composers.dropFirst()))
        set(.footer, \.footer, texts(.footer))
        let types = texts(.type)
        if metadata.tuneType == .other, !types.isEmpty {
            set(.type, \.typeText, types)
        }
        if let text = metadata.typeText, !text.isEmpty {
            metadata.tuneType = TuneType(text: text)
            if metadata.title.isEmpty {
                // The name of the type is printed where the title would be.
                metadata.title = text
                metadata.typeText = ""
            } else if text == metadata.tuneType.text {
                metadata.typeText = nil
            }
        }
        metadata.tempo = metadata.tempo ?? tempo
        tune.metadata = metadata
        tune.filePage = tune.filePage ?? page
    }
}

extension TuneType {
    /// The type that a text names, such as `6/8 March`; `other` where it names none.
    init(text: String) {
        let lower = text.lowercased()
        let words: [(String, TuneType)] = [
            ("slow march", .slowMarch), ("slow air", .slowAir), ("strathspey", .strathspey), ("reel", .reel),
            ("hornpipe", .hornpipe), ("jig", .jig), ("retreat", .retreat), ("march", .march), ("polka", .polka),
            ("waltz", .waltz), ("hymn", .hymn), ("lament", .lament), ("piobaireachd", .piobaireachd),
            ("pibroch", .piobaireachd), ("air", .slowAir),
        ]
        self = words.first { lower.contains($0.0) }?.1 ?? .other
    }
}

extension Substring {
    /// Without white space at both ends.
    var trimmed: Substring {
        var text = self
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }

    /// The last place of a text in this one.
    fileprivate func range(of text: String) -> Range<Index>? {
        var end = endIndex
        while let start = self[..<end].lastIndex(where: { $0 == text.first }) {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            end = start
        }
        return nil
    }
}
