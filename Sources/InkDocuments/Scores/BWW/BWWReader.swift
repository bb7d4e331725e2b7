import InkEngine

/// Reads a score from the text of Bagpipe Player, Bagpipe Reader or Bagpipe Music Writer.
///
/// There is no standard of the format; the reader takes what these programs take. What it does not know it skips, with a
/// warning that names the place.
struct BWWReader {
    /// Whether tokens of piobaireachd are left out of the music; else they are errors of their tune.
    let skipsPiobaireachd: Bool
    var document = ScoreDocument(id: .number(0))
    var problems = ScoreProblems()
    /// The tune that is being read; nil before the first line of its music.
    var music: BWWMusic?
    /// What was read of a head since the last line of music.
    private var head = BWWHead()
    /// A time signature that stands before the first line of music.
    private var time: TimeSignature?
    private var idCount = 0
    private var wordCount = 0
    private var unknownCount = 0
    private var hasSignature = false

    init(skipsPiobaireachd: Bool = false) { self.skipsPiobaireachd = skipsPiobaireachd }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - bytes: text in UTF-8 or Windows-1252.
    ///   - name: names the file in messages.
    ///   - skipsPiobaireachd: whether embellishments of piobaireachd that cannot be drawn are left out.
    /// - Throws: `badInput` for what is no BWW file, `overLimit` for one that is too large.
    static func read(
        _ bytes: [UInt8], name: String, skipsPiobaireachd: Bool = false
    ) throws(EngineError) -> ScoreReading {
        guard bytes.count <= ScoreLimits.fileBytes else {
            throw .overLimit(
                Place(file: name), what: "the size of the score (E_LIMIT)", found: "\(bytes.count) bytes",
                limit: "\(ScoreLimits.fileBytes)")
        }
        var reader = BWWReader(skipsPiobaireachd: skipsPiobaireachd)
        let text = BWWText(bytes)
        if text.hasBadCharacters {
            reader.problems.add(
                .encoding, tune: nil, at: nil, "", "some bytes are no characters of UTF-8 or Windows-1252 text")
        }
        for line in text.lines {
            guard reader.document.tunes.count < ScoreLimits.tunes else {
                throw .overLimit(
                    Place(file: name), what: "the number of tunes (E_LIMIT)", found: "more",
                    limit: "\(ScoreLimits.tunes)")
            }
            reader.take(line)
        }
        let reading = reader.finish()
        guard reader.unknownCount * 20 <= reader.wordCount || reader.unknownCount <= 5 else {
            throw .badInput(
                Place(file: name),
                reason: "is no BWW score: \(reader.unknownCount) of its \(reader.wordCount) words are unknown "
                    + "(E_NOT_BWW)")
        }
        guard !reading.document.tunes.isEmpty else {
            let reason = reader.hasSignature ? "has no line of music, which begins with &" : "is no BWW score"
            throw .badInput(Place(file: name), reason: "\(reason) (E_NOT_BWW)")
        }
        return reading
    }

    /// Ends the last tune.
    mutating func finish() -> ScoreReading {
        if music != nil { useHead() }
        finishTune()
        document.metadata.title = document.tunes.first?.metadata.title ?? ""
        return ScoreReading(document: document, problems: problems.all)
    }

    mutating func nextID() -> ScoreID {
        idCount += 1
        return .number(idCount)
    }

    /// The index of the tune that is being read.
    var tune: Int { document.tunes.count }

    private mutating func take(_ line: BWWText.Line) {
        if line.text.first == "\"" {
            if let text = BWWHead.text(line.text) { take(text, at: line) }
            return
        }
        hasSignature = hasSignature || BWWHead.isSignature(line.text)
        guard !head.take(line.text) else { return }
        for (word, column) in BWWText.words(of: line) {
            wordCount += 1
            take(word, at: .line(line.number, column: column))
        }
    }

    mutating func take(_ text: ScoreText, at line: BWWText.Line) {
        if text.text.count > ScoreLimits.text {
            problems.add(
                .limit, tune: tune, at: .line(line.number, column: line.column), text.text,
                "a text has \(text.text.count) characters, at most \(ScoreLimits.text) are allowed")
            return
        }
        if text.kind == .title, music?.hasLines == true { finishTune() }
        if text.kind == .inline {
            if music == nil { beginTune() }
            if !text.text.isEmpty { music?.add(text) }
        } else {
            head.texts.append(text)
        }
    }

    private mutating func take(_ word: Substring, at position: ScoreProblem.Position) {
        if word.hasPrefix("TuneTempo,") || word == "space" { return }
        if skipsPiobaireachd || !PiobaireachdTokens.isRefused(word) {
            guard let tokens = BWWToken.split(word) else {
                let isPiobaireachd = PiobaireachdTokens.isRefused(word)
                if !isPiobaireachd { unknownCount += 1 }
                problems.add(
                    .unknownToken, tune: tune, at: position, word,
                    isPiobaireachd
                        ? "left out: \"\(shownText(String(word), limit: 40))\" of piobaireachd"
                        : "unknown: \"\(shownText(String(word.prefix(80)), limit: 40))\", skipped")
                return
            }
            for token in tokens { take(token, word, at: position) }
        } else {
            problems.add(
                .piobaireachd, tune: tune, at: position, word,
                "\"\(word)\" of piobaireachd cannot be drawn, because sources differ about its notes")
        }
    }

    /// Takes what a word means; readers of other formats bring their music in these words, too.
    mutating func take(_ token: BWWToken, _ word: Substring, at position: ScoreProblem.Position) {
        guard !problems.hasError(inTune: tune) || token == .staff else { return }
        if music == nil {
            // Time signatures may stand before the first line.
            if case .time(let signature) = token {
                time = signature
                return
            }
            beginTune()
        }
        if token == .staff { useHead() }
        // Taken out, so that it is not copied when it changes.
        guard var music else { return }
        self.music = nil
        music.take(token, word, at: position, &self)
        self.music = music
    }

    private mutating func beginTune() {
        music = BWWMusic(id: nextID(), time: time)
        time = nil
        useHead()
    }

    /// Gives the tune what was read since its last line of music.
    mutating func useHead() {
        if var tune = music?.tune {
            head.apply(to: &tune)
            music?.tune = tune
        }
        head = BWWHead()
    }

    mutating func finishTune() {
        guard var music, music.hasLines else { return }
        self.music = nil
        music.finish(&self)
        document.tunes.append(music.tune)
        document.noteGroups += music.groups
    }
}
