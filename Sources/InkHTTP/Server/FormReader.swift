import Glibc

/// Takes a form apart while it arrives (`multipart/form-data`, RFC 7578 and 2046). It holds no more of it than the headers
/// of a part, or what may become a boundary. Pure.
///
/// Lines may end with LF alone if all do, from the first boundary on.
struct FormReader {
    private enum State {
        /// Before the first boundary.
        case preamble
        case headers
        /// `isAtStart`: nothing of the part has come yet.
        case content(isAtStart: Bool)
        /// Behind the last boundary.
        case closed
    }

    /// What follows a boundary.
    private enum Follower {
        case part(after: Int)
        case end
        /// It is none.
        case nothing
        /// That is known later.
        case unknown
    }

    private var state = State.preamble
    /// `--` and the boundary, after the end of a line.
    private let delimiter: [UInt8]
    private var lineEnd: [UInt8] = []
    /// What has come and is not dealt with.
    private var pending: [UInt8] = []
    private var preambleBytes = 0

    private static let boundaryBytes = 1...200
    private static let preambleBytesMax = 64 << 10
    private static let headerBytesMax = 16 << 10
    /// Blanks behind a boundary.
    private static let blanksMax = 256

    /// nil if the type of a body is not that of a form with a boundary.
    init?(contentType: String) {
        guard let type = HeaderValue(contentType), let boundary = type.parameters["boundary"],
            Self.boundaryBytes.contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ (32...126).contains($0) }), boundary.utf8.last != 32
        else { return nil }
        delimiter = Array("--\(boundary)".utf8)
    }

    /// Passes on what has come.
    ///
    /// - Throws: if no more is wanted.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ taker: any FormTaker) throws(Problem) {
        pending += bytes
        while try step(taker) {}
    }

    /// The answer to a form that has arrived.
    mutating func end(_ taker: any FormTaker) throws(Problem) -> HTTPResponse {
        // The last boundary may be the end.
        switch state {
        case .preamble: _ = try takePreamble(pending[...])
        case .content(let isAtStart): try close(taker, isAtStart: isAtStart)
        case .headers, .closed: break
        }
        guard case .closed = state else {
            throw .form("it ends before its last boundary; send all of it")
        }
        return try taker.end()
    }

    /// Returns whether there may be more to do.
    private mutating func step(_ taker: any FormTaker) throws(Problem) -> Bool {
        switch state {
        case .preamble: return try takePreamble()
        case .headers: return try takeHeaders(taker)
        case .content(let isAtStart): return try takeContent(taker, isAtStart: isAtStart)
        case .closed:
            pending.removeAll()
            return false
        }
    }

    // MARK: - Before the first part

    private mutating func takePreamble() throws(Problem) -> Bool {
        let line = pending.prefix { $0 != 10 }
        guard line.count < pending.count else {
            if preambleBytes + line.count > Self.preambleBytesMax { throw Self.otherBoundary }
            return false
        }
        try takePreamble(line)
        pending.removeFirst(line.count + 1)
        return true
    }

    private static let otherBoundary = Problem.form("its boundary is not that of the header Content-Type")

    private mutating func takePreamble(_ line: ArraySlice<UInt8>) throws(Problem) {
        let hasReturn = line.last == 13
        let text = line.dropLast(hasReturn ? 1 : 0).withoutBlanksAtEnd
        preambleBytes += line.count + 1
        if text.elementsEqual(delimiter) {
            lineEnd = hasReturn ? [13, 10] : [10]
            state = .headers
        } else if text.elementsEqual(delimiter + [45, 45]) {
            state = .closed
        } else if preambleBytes > Self.preambleBytesMax {
            throw Self.otherBoundary
        }
    }

    // MARK: - The headers of a part

    private mutating func takeHeaders(_ taker: any FormTaker) throws(Problem) -> Bool {
        // An empty line ends them. They begin behind the end of a line.
        let end = lineEnd
        let length = pending.starts(with: end) ? 0 : pending.firstRange(of: end + end).map { $0.lowerBound + end.count }
        guard let length else {
            if pending.count > Self.headerBytesMax {
                throw .form("the headers of a part have more than \(Self.headerBytesMax) bytes")
            }
            return false
        }
        guard length <= Self.headerBytesMax else {
            throw .form("the headers of a part have more than \(Self.headerBytesMax) bytes")
        }
        let part = try Self.part(Array(pending[..<length]))
        pending.removeFirst(length + end.count)
        state = .content(isAtStart: true)
        try taker.begin(part)
        return true
    }

    private static func part(_ bytes: [UInt8]) throws(Problem) -> FormPart {
        // Older programs write Latin-1.
        let text =
            String(validating: bytes, as: UTF8.self) ?? String(bytes.map { Character(Unicode.Scalar($0)) })
        var headers: [(name: String, value: String)] = []
        for line in text.split(whereSeparator: { $0 == "\r\n" || $0 == "\n" }) {
            if let first = line.first, first == " " || first == "\t", let last = headers.indices.last {
                headers[last].value += line
                continue
            }
            guard let colon = line.firstIndex(of: ":") else {
                throw .form("a header of a part has no colon: \(line.prefix(128))")
            }
            headers.append((line[..<colon].lowercased(), String(line[line.index(after: colon)...])))
        }
        func only(_ name: String) throws(Problem) -> HeaderValue? {
            let found = headers.filter { $0.name == name }
            guard let first = found.first else { return nil }
            guard found.count == 1, let value = HeaderValue(first.value) else {
                throw .form("a part's \(name) is not understood: \(first.value.prefix(128))")
            }
            return value
        }
        // Nothing is decoded, and to take the code for the content would be worse than to refuse it.
        if let coding = try only("content-transfer-encoding")?.value, !["binary", "8bit", "7bit"].contains(coding) {
            throw .form(
                "a part has the Content-Transfer-Encoding \(coding.prefix(32)); send its bytes as they are")
        }
        guard let disposition = try only("content-disposition"), disposition.value == "form-data",
            let name = disposition.text("name"), !name.isEmpty
        else {
            throw .form("each part needs a header such as Content-Disposition: form-data; name=\"document\"")
        }
        let fileName = disposition.text("filename")
        guard !name.utf8.contains(0), fileName?.utf8.contains(0) != true else {
            throw .form("the name of a part contains a NUL character")
        }
        return FormPart(name: name, fileName: fileName)
    }

    // MARK: - The content of a part

    private mutating func takeContent(_ taker: any FormTaker, isAtStart: Bool) throws(Problem) -> Bool {
        var searched = 0
        while let (place, count) = boundary(from: searched, isAtStart: isAtStart) {
            switch follower(place + count) {
            case .nothing: searched = place + 1
            case .unknown:
                try pass(place, taker, isAtStart: isAtStart)
                return false
            case .end:
                try pass(place, taker, isAtStart: isAtStart)
                state = .closed
                return true
            case .part(let start):
                try pass(place, taker, isAtStart: isAtStart)
                pending.removeFirst(start - place)
                state = .headers
                return true
            }
        }
        // The beginning of a boundary may be at the end.
        try pass(max(0, pending.count - lineEnd.count - delimiter.count + 1), taker, isAtStart: isAtStart)
        return false
    }

    /// The next boundary in the content, with the end of the line before it. A part without content need not have that.
    private func boundary(from start: Int, isAtStart: Bool) -> (place: Int, count: Int)? {
        if start == 0, isAtStart, pending.starts(with: delimiter) { return (0, delimiter.count) }
        let wanted = lineEnd + delimiter
        guard pending.count - start >= wanted.count else { return nil }
        return pending.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var place = start
            while place <= bytes.count - wanted.count,
                let found = memchr(base + place, Int32(wanted[0]), bytes.count - wanted.count - place + 1)
            {
                place = UnsafeRawPointer(found) - base
                if memcmp(base + place, wanted, wanted.count) == 0 { return (place, wanted.count) }
                place += 1
            }
            return nil
        }
    }

    private func follower(_ start: Int) -> Follower {
        let isEnd = pending[start...].starts(with: [45, 45])
        if !isEnd, pending.count - start == 1, pending[start] == 45 { return .unknown }
        let blanks = pending[(start + (isEnd ? 2 : 0))...].prefix { $0 == 32 || $0 == 9 }
        guard blanks.count <= Self.blanksMax else { return .nothing }
        let rest = pending[blanks.endIndex...].prefix(lineEnd.count)
        if rest.count < lineEnd.count { return lineEnd.starts(with: rest) ? .unknown : .nothing }
        guard rest.elementsEqual(lineEnd) else { return .nothing }
        return isEnd ? .end : .part(after: rest.endIndex)
    }

    /// Passes on so many bytes of the content.
    private mutating func pass(_ count: Int, _ taker: any FormTaker, isAtStart: Bool) throws(Problem) {
        guard count > 0 else { return }
        if isAtStart { state = .content(isAtStart: false) }
        try pending.withUnsafeBufferPointer { (bytes) throws(Problem) in
            try taker.take(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count])))
        }
        pending.removeFirst(count)
    }

    /// Looks for the last boundary at the very end.
    private mutating func close(_ taker: any FormTaker, isAtStart: Bool) throws(Problem) {
        guard let (place, count) = boundary(from: 0, isAtStart: isAtStart),
            pending[(place + count)...].withoutBlanksAtEnd.elementsEqual([45, 45])
        else { return }
        try pass(place, taker, isAtStart: isAtStart)
        state = .closed
    }
}

extension ArraySlice<UInt8> {
    fileprivate var withoutBlanksAtEnd: ArraySlice<UInt8> {
        lastIndex { $0 != 32 && $0 != 9 }.map { self[...$0] } ?? []
    }
}

extension Problem {
    fileprivate static func form(_ reason: String) -> Problem { .malformed("the form is malformed: \(reason)") }
}
