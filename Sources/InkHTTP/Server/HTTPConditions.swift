extension HTTPRequest {
    /// What a request wants of something with an entity tag.
    enum Wanted: Hashable {
        case whole
        /// One range of its bytes.
        case part(Range<Int>)
        /// A range beyond its end.
        case nothing
        /// The client has it.
        case known
        /// It is not what the client takes it for.
        case another
    }

    /// Judges the headers about tags and ranges (RFC 9110, 13.2.2 and 14.2). Those about dates do not count, because nothing
    /// has one.
    ///
    /// - Parameters:
    ///   - tag: strong, in quotation marks.
    ///   - count: of its bytes; nil where all of it is sent.
    func wanted(tag: String, of count: Int? = nil) -> Wanted {
        if let tags = header("if-match"), !Self.holds(tags, tag, isWeak: false) { return .another }
        if let tags = header("if-none-match"), Self.holds(tags, tag, isWeak: true) { return .known }
        guard method == "GET", let count, let range = header("range") else { return .whole }
        if let condition = header("if-range"), condition != tag { return .whole }
        return Self.range(range, of: count)
    }

    /// Whether a list of tags, or a star, matches.
    private static func holds(_ list: String, _ tag: String, isWeak: Bool) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.trimmed
            return item == "*" || item == tag || isWeak && item == "W/\(tag)"
        }
    }

    /// One range. Several, and what is none, are ignored, as a server may.
    private static func range(_ header: String, of count: Int) -> Wanted {
        let sides = header.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, sides[0].trimmed.lowercased() == "bytes" else { return .whole }
        let ranges = sides[1].split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
        guard ranges.count == 1 else { return .whole }
        let ends = ranges[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else { return .whole }
        switch (first, last) {
        case (let first?, let last?) where first > last: return .whole
        case (let first?, let last):
            return first < count ? .part(first..<min(count, (last ?? count - 1) + 1)) : .nothing
        case (nil, let length?): return length == 0 || count == 0 ? .nothing : .part(max(0, count - length)..<count)
        case (nil, nil): return .whole
        }
    }

    /// Reads digits, at most far beyond all files; nil within nil for none of them, nil for anything else.
    private static func number(_ text: Substring) -> Int?? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return .some(text.isEmpty ? nil : min(Int(text) ?? .max, .max / 2))
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
