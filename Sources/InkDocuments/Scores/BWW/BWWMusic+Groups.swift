/// Ties, irregular groups and time lines.
extension BWWMusic {
    mutating func takeGroup(_ token: BWWToken, _ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        switch token {
        case .tieStart:
            if let openTie { warnTie("has no end", openTie.position, &reader) }
            openTie = (notes.count, position)
        case .tieEnd:
            // Without a start it is the old tie on E.
            guard let (start, began) = openTie else { return beginOldTie(.e, position, &reader) }
            openTie = nil
            addTie(start..<notes.count, began, &reader)
        case .oldTie(let pitch): beginOldTie(pitch, position, &reader)
        case .tupletStart(let ratio):
            dropTuplet(&reader)
            openTuplet = (ratio, notes.count, position)
        case .tupletEnd(let ratio):
            if let (ratio, start, _) = openTuplet {
                openTuplet = nil
                addTuplet(ratio, start..<notes.count, position, &reader)
            } else if ratio == TupletRatio(actual: 3, normal: 2) {
                // Without a start it is the old triplet on E.
                addOldTriplet(position, &reader)
            } else {
                warn("the end of an irregular group", "has no start", position, &reader)
            }
        case .oldTriplet: addOldTriplet(position, &reader)
        case .timeLineStart(let label):
            endTimeLine()
            openTimeLine = (label, notes.count)
        case .timeLineEnd: endTimeLine()
        default: break
        }
    }

    private func warnTie(_ reason: String, _ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        reader.problems.add(.tieEnd, tune: reader.tune, at: position, "", "the tie \(reason)")
    }

    // MARK: Ties

    /// Ties each of the notes to the next.
    private mutating func addTie(_ members: Range<Int>, _ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        guard members.count >= 2, let pitch = notes[members.lowerBound].pitch,
            notes[members].allSatisfy({ $0.pitch == pitch })
        else { return warnTie("does not join two notes of one pitch", position, &reader) }
        drafts.append((.tie, members))
    }

    private mutating func beginOldTie(_ pitch: Pitch, _ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        guard let last = notes.last, last.pitch == pitch else {
            return warnTie("has no note \(pitch.name) before it", position, &reader)
        }
        oldTie = (notes.count - 1, position)
    }

    /// Ends a tie in the old form at the note that was read last.
    mutating func endOldTie(_ reader: inout BWWReader) {
        guard let (note, position) = oldTie else { return }
        oldTie = nil
        addTie(note..<notes.count, position, &reader)
    }

    // MARK: Irregular groups

    private mutating func addTuplet(
        _ ratio: TupletRatio, _ members: Range<Int>, _ position: ScoreProblem.Position, _ reader: inout BWWReader
    ) {
        guard !members.isEmpty else { return }
        guard members.lowerBound >= lineStart, notes[members].allSatisfy({ $0.duration.tuplet == nil }) else {
            return warn("an irregular group", "lies over another one or over the end of a line", position, &reader)
        }
        for note in members { notes[note].duration.tuplet = ratio }
        drafts.append((.tuplet(ratio), members))
    }

    /// The pitch of the token places the number on the page, and says nothing about the notes.
    private mutating func addOldTriplet(_ position: ScoreProblem.Position, _ reader: inout BWWReader) {
        guard notes.count - 3 >= lineStart else {
            return warn("a triplet", "has no three notes before it", position, &reader)
        }
        addTuplet(TupletRatio(actual: 3, normal: 2), notes.count - 3..<notes.count, position, &reader)
    }

    /// Forgets an irregular group that has no end.
    mutating func dropTuplet(_ reader: inout BWWReader) {
        guard let (_, _, position) = openTuplet else { return }
        openTuplet = nil
        warn("an irregular group", "has no end", position, &reader)
    }

    // MARK: Time lines

    private mutating func endTimeLine() {
        guard let (label, start) = openTimeLine else { return }
        openTimeLine = nil
        guard start < notes.count else { return }
        drafts.append((.timeLine(label), start..<notes.count))
    }

    // MARK: The end

    /// Makes groups of the drafts, in the order of their first notes.
    mutating func finishGroups(_ reader: inout BWWReader) {
        endTimeLine()
        if let openTie { warnTie("has no end", openTie.position, &reader) }
        if let oldTie { warnTie("has no end", oldTie.position, &reader) }
        joinTies()
        // Those that lie in others come after them.
        let ordered = drafts.sorted {
            ($0.members.lowerBound, -$0.members.upperBound, $0.kind.rank)
                < ($1.members.lowerBound, -$1.members.upperBound, $1.kind.rank)
        }
        for draft in ordered {
            let group = NoteGroup(
                id: reader.nextID(), kind: draft.kind, members: notes[draft.members].map(\.id))
            groups.append(group)
            for note in draft.members { notes[note].noteGroups.append(group.id) }
        }
        drafts = []
    }

    /// Makes one tie of those that meet at a note, as a tie over several notes is written.
    private mutating func joinTies() {
        let ties = drafts.filter { $0.kind == .tie }.map(\.members).sorted { $0.lowerBound < $1.lowerBound }
        var joined: [Range<Int>] = []
        for tie in ties {
            if let last = joined.last, tie.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, tie.upperBound)
            } else {
                joined.append(tie)
            }
        }
        drafts = drafts.filter { $0.kind != .tie } + joined.map { (.tie, $0) }
    }
}

extension NoteGroup.Kind {
    /// The order of groups of the same notes.
    fileprivate var rank: Int {
        switch self {
        case .timeLine: 0
        case .tuplet: 1
        case .tie: 2
        case .unison, .roll, .hairpin: 3
        }
    }
}
