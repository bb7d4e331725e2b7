import InkTestSupport

@testable import InkDocuments
@testable import InkEngine

/// A BWW file of one tune with these lines of music.
func bww(_ music: String, title: String = "Title") -> String {
    "Bagpipe Reader:1.0\n\"\(title)\",(T,L,0,0,Times New Roman,16,700,0,0,18,0,0,0)\n\(music)\n"
}

func readBWW(_ text: String, skipsPiobaireachd: Bool = false) throws(EngineError) -> ScoreReading {
    try ScoreFile.read(Array(text.utf8), name: "t.bww", skipsPiobaireachd: skipsPiobaireachd)
}

/// The bars of the first tune.
func measures(_ reading: ScoreReading) -> [Measure] { reading.document.tunes[0].systems.flatMap(\.measures) }

/// The pipe notes of the first tune.
func notes(_ reading: ScoreReading) -> [PipeNote] { measures(reading).flatMap(\.bagpipes) }

/// A line for each problem.
func lines(_ reading: ScoreReading) -> [String] { reading.problems.map(\.description) }

/// A BWW file of random music that has every kind of token.
func randomBWW(using random: inout SeededGenerator) -> String {
    func one<Element>(_ elements: [Element]) -> Element { elements[Int(random.next() % UInt64(elements.count))] }
    func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
    var text = ""
    for tune in 1...(1 + Int(random.next() % 3)) {
        text +=
            "Bagpipe Reader:1.0\nTuneFormat,(1,0,M,L,500,600,700,800,\(one(["P", "L"])),0,0)\nTuneTempo,\(60 + tune)\n"
        text += "\"Tune \(tune) \u{E9}\",(T,\(one(["L", "C", "R"])),0,0,Times New Roman,16,700)\n"
        text += "\"\(one(["March", "6/8 Jig", "Strathspey", "Set"]))\",(Y,C,0,0,Times New Roman,14,400)\n"
        if chance(60) { text += "\"Trad.\",(M,R,0,0,Times New Roman,14,400)\n" }
        for line in 1...(1 + Int(random.next() % 4)) {
            if chance(20) { text += "\"Line \(line)\",(I,\(one(["L", "R"])),0,0,Times New Roman,10,400)\n" }
            var words = ["&", "sharpf", "sharpc"]
            if line == 1 || chance(10) { words.append(one(["2_4", "4_4", "6_8", "C", "C_"])) }
            if chance(40) { words.append(one(["I!", "I!''"])) }
            var isInTimeLine = false
            let bars = 1 + Int(random.next() % 4)
            for bar in 1...bars {
                if chance(10), !isInTimeLine {
                    words.append("'" + one(TimeLineLabel.allCases).bwwName)
                    isInTimeLine = true
                }
                for place in 1...(1 + Int(random.next() % 5)) {
                    if chance(8) {
                        words.append("REST_" + one(["1", "2", "4", "8", "16", "32"]))
                        continue
                    }
                    let pitch = one(Pitch.allCases)
                    let tuplet = chance(8) ? one(BWWToken.tuplets).name : nil
                    if let tuplet { words.append("^\(tuplet)s") }
                    if chance(10) {
                        words += ["^ts", "\(pitch.name)_4", "\(pitch.name)_8", "^te"]
                    } else {
                        if chance(60) { words.append(one(EmbellishmentTokens.all).token) }
                        if chance(5) { words.append(one(EmbellishmentTokens.light).token) }
                        if chance(5), place > 1 { words.append(one(["sharp", "flat", "natural"]) + pitch.suffix) }
                        words.append("\(pitch.name)\(one(["", "l", "r"]))_\(one(["1", "2", "4", "8", "16", "32"]))")
                        if chance(20) { words.append(one(["'", "''"]) + pitch.suffix) }
                        if chance(5) { words.append("fermat" + pitch.suffix) }
                    }
                    if let tuplet { words.append("^\(tuplet)e") }
                }
                if chance(5) { words.append(one(MeasureMark.allCases).rawValue) }
                if isInTimeLine, chance(50) || bar == bars {
                    words.append("_'")
                    isInTimeLine = false
                }
                words.append(bar < bars ? "!" : one(["!t", "!!t", "!I", "''!I"]))
            }
            text += words.joined(separator: " ") + "\n"
        }
    }
    return text
}
