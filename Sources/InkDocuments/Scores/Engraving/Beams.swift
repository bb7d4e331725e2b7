/// Flags and beams of melody notes: stems down, beams flat and below the lowest head.
extension LineEngraver {
    static let beam: Spaces = 0.5
    static let beamGap: Spaces = 0.25
    /// The distance from the lowest head of a group to the lower edge of its beams.
    static let beamDistance: Spaces = 3.4
    /// A beam of one note.
    static let partialBeam: Spaces = 1.1

    mutating func engraveBeams(_ staff: Int) {
        let own = notes[staff]
        var grouped: Set<Int> = []
        for group in BeamGroups.groups(own, line, rules.tuneType) {
            grouped.formUnion(group)
            engraveBeams(group, staff)
        }
        for (index, placed) in own.enumerated() where !grouped.contains(index) && !placed.note.isRest {
            guard placed.note.duration.noteType.requiresStem else { continue }
            let reach = Self.flagReach(placed.note)
            let end = stemEnd(
                of: placed.note, at: line.staves[staff].isDrum ? Self.drumStemEnd : placed.stemEnd, below: reach)
            let flag: ScoreGlyph? =
                switch placed.note.flagCount {
                case 1: .flag8thDown
                case 2: .flag16thDown
                case 3: .flag32ndDown
                default: nil
                }
            setStemEnds(staff, [index: end])
            addStem(placed, to: end, below: reach)
            if let flag { add(.glyph(flag, at: StaffPoint(x: placed.x, y: end))) }
        }
    }

    /// Stems of drum notes end at one height, whichever hand plays them.
    private static let drumStemEnd: Spaces = -3.5
    /// The room of a stroke on a stem to the head and to beams or flags.
    private static let strokeGap: Spaces = 0.2

    /// How far above the end of a stem its flags come near to a stroke across the stem.
    private static func flagReach(_ note: StaffNote) -> Spaces {
        note.flagCount == 0 ? 0 : 1.4 + (beam + beamGap) * (note.flagCount - 1)
    }

    /// How far above the end of a stem the beams of its note reach.
    private static func beamReach(_ note: StaffNote) -> Spaces {
        note.flagCount == 0 ? 0 : (beam + beamGap) * note.flagCount - beamGap
    }

    /// The end of a stem, lower where the stroke on it would else run into beams or flags.
    private func stemEnd(of note: StaffNote, at end: Spaces, below reach: Spaces) -> Spaces {
        guard let box = note.stroke?.box else { return end }
        return min(end, note.y - 0.5 - (box.maxY - box.minY) - Self.strokeGap * 2 - reach)
    }

    /// - Parameter reach: the height of what is at the end of the stem, with which a stroke shares it.
    private mutating func addStem(_ placed: PlacedNote, to end: Spaces, below reach: Spaces) {
        let box = StaffBox(stemAt: placed.stemX, from: placed.note.y - 0.168, to: end, thick: EngravingRules.stem)
        add(.box(box))
        guard let stroke = placed.note.stroke else { return }
        let middle = (placed.note.y - 0.5 + end + reach).half
        let centre = StaffPoint(
            x: (stroke.box.minX + stroke.box.maxX).half, y: (stroke.box.minY + stroke.box.maxY).half)
        add(.glyph(stroke, at: StaffPoint(x: placed.stemX - centre.x, y: middle - centre.y)))
    }

    private mutating func engraveBeams(_ group: Range<Int>, _ staff: Int) {
        let own = Array(notes[staff][group])
        let lowest = own.map(\.note.y).min() ?? 0
        let usual = line.staves[staff].isDrum ? Self.drumStemEnd : lowest - Self.beamDistance
        let bottom =
            own.map { stemEnd(of: $0.note, at: usual, below: Self.beamReach($0.note)) }.min() ?? usual
        let (firstX, lastX) = (own[0].stemX, own[own.count - 1].stemX)
        let slope = slope(own, lowest, bottom)
        /// The lower edge of the lowest beam.
        func edge(_ x: Spaces) -> Spaces {
            slope == .zero ? bottom : bottom + slope * ((x - firstX).value / max((lastX - firstX).value, 0.01))
        }
        for placed in own { addStem(placed, to: edge(placed.stemX), below: Self.beamReach(placed.note)) }
        setStemEnds(
            staff, Dictionary(uniqueKeysWithValues: zip(group, own.map { edge($0.stemX) })))
        let half = EngravingRules.stem.half
        for level in 0..<(own.map(\.note.flagCount).max() ?? 0) {
            let rise = (Self.beam + Self.beamGap) * level + Self.beam
            func addBeam(_ from: Spaces, _ to: Spaces) {
                add(
                    .beam(
                        from: StaffPoint(x: from, y: edge(from) + rise), to: StaffPoint(x: to, y: edge(to) + rise),
                        thick: Self.beam))
            }
            var start = 0
            while start < own.count {
                guard own[start].note.flagCount > level else {
                    start += 1
                    continue
                }
                var end = start
                while end + 1 < own.count, own[end + 1].note.flagCount > level { end += 1 }
                if end > start {
                    addBeam(own[start].stemX - half, own[end].stemX - half + EngravingRules.stem)
                } else {
                    let (from, to) = partialBeam(own, start, level)
                    addBeam(from, to)
                }
                start = end + 1
            }
        }
    }

    /// How much higher a slanted beam ends than it begins: at most a space, and never so that a stem gets shorter than that
    /// of the lowest note.
    private func slope(_ own: [PlacedNote], _ lowest: Spaces, _ bottom: Spaces) -> Spaces {
        guard rules.settings.melodyBeams == .slanted, let first = own.first, let last = own.last else { return 0 }
        let wanted = min(max((last.note.y - first.note.y) * 0.5, -1), 1)
        // Beams of which an end would come nearer to a head stay flat.
        let isFree = own.allSatisfy { placed in
            let share = (placed.stemX - first.stemX).value / max((last.stemX - first.stemX).value, 0.01)
            return placed.note.y - (bottom + wanted * share) >= Self.beamDistance - 0.5
        }
        return isFree ? wanted : 0
    }

    /// The ends of a beam that only one note has.
    private func partialBeam(_ own: [PlacedNote], _ index: Int, _ level: Int) -> (Spaces, Spaces) {
        let x = own[index].stemX
        let half = EngravingRules.stem.half
        let left = index > 0 ? x - own[index - 1].stemX : nil
        let right = index + 1 < own.count ? own[index + 1].stemX - x : nil
        let pointsRight: Bool
        if left == nil {
            pointsRight = true
        } else if right == nil {
            pointsRight = false
        } else if let beam = own[index].note.beam, beam != .alone {
            pointsRight = beam == .right
        } else {
            // Towards the neighbour that it makes up a beat with.
            pointsRight = own[index + 1].note.duration.dots > own[index - 1].note.duration.dots
        }
        let distance = (pointsRight ? right : left) ?? Self.partialBeam
        let length = min(Self.partialBeam, distance.half)
        return pointsRight ? (x - half, x + length) : (x - length, x - half + EngravingRules.stem)
    }
}

/// Which notes share a beam.
enum BeamGroups {
    /// The groups of a staff, each of two notes at least.
    static func groups(_ notes: [PlacedNote], _ line: LineColumns, _ tuneType: TuneType) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var (start, onset, measure) = (0, Ticks.zero, -1)
        var lastBeat = 0
        func end(_ index: Int) {
            if index - start > 1 { groups.append(start..<index) }
        }
        for (index, placed) in notes.enumerated() {
            if placed.measure != measure { (onset, measure) = (.zero, placed.measure) }
            let beat = onset.count / max(beatTicks(of: line.system.measures[measure].timeSignature, tuneType), 1)
            defer {
                onset += placed.note.duration.ticks
                lastBeat = beat
            }
            guard placed.note.flagCount > 0, placed.note.beam != .alone else {
                end(index)
                start = index + 1
                continue
            }
            let goesOn =
                index > start && notes[index - 1].measure == measure
                && joins(notes[index - 1].note, placed.note, isSameBeat: beat == lastBeat)
            if !goesOn {
                end(index)
                start = index
            }
        }
        end(notes.count)
        return groups
    }

    private static func joins(_ a: StaffNote, _ b: StaffNote, isSameBeat: Bool) -> Bool {
        guard let first = a.beam, let second = b.beam else { return isSameBeat }
        return !(first == .left && second == .right)
    }

    /// The time that a beam covers where a file does not say it.
    private static func beatTicks(of time: TimeSignature?, _ tuneType: TuneType) -> Int {
        let crotchet = Ticks.semibreve.count / 4
        guard let time else { return crotchet }
        if time.denominator == 8 {
            return time.numerator == 3
                ? time.ticks.count : time.numerator.isMultiple(of: 3) ? crotchet * 3 / 2 : crotchet
        }
        let isInMinims = tuneType == .reel || time.symbol == .cut
        return isInMinims ? crotchet * 2 : crotchet * 4 / max(time.denominator, 4)
    }
}
