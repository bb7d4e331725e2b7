/// A PDF of several pages, from files of one page as `PDFCodec` writes them.
public struct PDFBook {
    /// A file that is read at any place.
    public struct Source {
        public var byteCount: Int
        /// Reads so many bytes at an offset.
        public var read: (_ count: Int, _ offset: Int) throws(EngineError) -> [UInt8]

        public init(byteCount: Int, read: @escaping (_ count: Int, _ offset: Int) throws(EngineError) -> [UInt8]) {
            self.byteCount = byteCount
            self.read = read
        }
    }

    private var body = PDFBody()
    private let catalog, pages, profile, info: Int
    private let software: String?
    private var kids: [Int] = []
    private let append: ([UInt8]) throws(EngineError) -> Void

    /// Bytes that are copied at once.
    private static let copiedBytes = 1 << 20

    /// - Parameters:
    ///   - software: the program's name and version; nil: not written.
    ///   - append: writes bytes to the end of the file.
    public init(software: String?, append: @escaping ([UInt8]) throws(EngineError) -> Void) {
        self.software = software
        self.append = append
        catalog = body.reserve()
        pages = body.reserve()
        profile = body.reserve()
        info = software == nil ? 0 : body.reserve()
    }

    public mutating func begin() throws(EngineError) {
        var bytes = body.add(PDFAssembler.header)
        bytes += body.object(catalog, PDFAssembler.catalog(pages: pages, profile: profile, metadata: nil))
        bytes += body.stream(profile, "/N 3", SRGBProfile.bytes)
        if let software {
            bytes += body.object(info, "<< /Creator \(PDFText.text(software)) /Producer \(PDFText.text(software)) >>")
        }
        try append(bytes)
    }

    /// Appends the page of a file.
    ///
    /// - Throws: `EngineError.badInput` at `place` for a file that is not of this program; what `read` and `append` throw.
    public mutating func add(_ source: Source, place: Place) throws(EngineError) {
        guard let file = try PDFPageFile(source), let own = try file.pageObjects() else {
            throw .badInput(place, reason: "not a PDF of one page as ink writes it")
        }
        var numbers = [PDFAssembler.Numbers.pages: pages]
        for number in own { numbers[number] = body.reserve() }
        for number in own { try copy(number, of: file, numbers, place: place) }
        kids.append(numbers[PDFAssembler.Numbers.page] ?? 0)
    }

    private mutating func copy(
        _ number: Int, of file: PDFPageFile, _ numbers: [Int: Int], place: Place
    ) throws(EngineError) {
        guard let (text, head, range) = try file.object(number) else {
            throw .badInput(place, reason: "the PDF is damaged: object \(number) is not whole")
        }
        var bytes = body.begin(numbers[number] ?? 0)
        bytes += body.add(text.replacing(/(\d+) 0 R/) { match in "\(numbers[Int(match.1) ?? 0] ?? 0) 0 R" })
        try append(bytes)
        var offset = range.lowerBound + head
        while offset < range.upperBound {
            let count = min(PDFBook.copiedBytes, range.upperBound - offset)
            try append(body.add(try file.source.read(count, offset)))
            offset += count
        }
    }

    /// - Precondition: there is a page.
    public mutating func end() throws(EngineError) {
        precondition(!kids.isEmpty, "a book has a page")
        let list = kids.map { "\($0) 0 R" }.joined(separator: " ")
        var bytes = body.object(pages, "<< /Type /Pages /Kids [\(list)] /Count \(kids.count) >>")
        let id = PDFAssembler.identifier(body, [])
        let (table, offset) = body.crossReferences(
            "/Root \(catalog) 0 R" + (info == 0 ? "" : " /Info \(info) 0 R") + " /ID [<\(id)> <\(id)>]")
        bytes += table + PDFDigest.ending(offset).dropFirst()
        try append(bytes)
    }
}

/// A file of one page, by its table of cross references.
private struct PDFPageFile {
    let source: PDFBook.Source
    /// Of objects 1, 2, ..., and of the table behind the last one.
    private var offsets: [Int] = []

    /// More than table, trailer and last lines have together.
    private static let tailBytes = 4096
    /// More than any dictionary of a page has.
    private static let headBytes = 4096

    /// nil for a file that does not have this form.
    init?(_ source: PDFBook.Source) throws(EngineError) {
        self.source = source
        let header = PDFAssembler.header
        guard source.byteCount > header.count, try source.read(header.count, 0) == header else { return nil }
        let count = min(source.byteCount, PDFPageFile.tailBytes)
        let tail = try source.read(count, source.byteCount - count)
        let lines = String(decoding: tail, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 4, lines.suffix(2) == ["%%EOF", ""], lines[lines.count - 4] == "startxref",
            let table = Int(lines[lines.count - 3]), let start = lines.lastIndex(of: "xref"),
            start + 2 < lines.count, let objects = Int(lines[start + 1].dropFirst(2)),
            objects > PDFAssembler.Numbers.profile, objects < 100, start + 2 + objects < lines.count
        else { return nil }
        for number in 1..<objects {
            guard let offset = Int(lines[start + 2 + number].prefix(10)), offset > 0, offset < table else { return nil }
            offsets.append(offset)
        }
        offsets.append(table)
        guard table < source.byteCount else { return nil }
    }

    /// What the page consists of; nil if its picture is not there.
    func pageObjects() throws(EngineError) -> [Int]? {
        typealias Numbers = PDFAssembler.Numbers
        guard let image = try object(Numbers.image) else { return nil }
        return [Numbers.page, Numbers.contents, Numbers.image, Numbers.length]
            + (image.text.contains("/SMask ") ? [Numbers.mask] : [])
    }

    /// An object's dictionary and what follows up to its stream, the length of that in the file with the line of its
    /// number, and where all of the object is; nil if it is not there.
    func object(_ number: Int) throws(EngineError) -> (text: String, head: Int, range: Range<Int>)? {
        guard number < offsets.count else { return nil }
        let start = offsets[number - 1]
        guard let end = offsets.filter({ $0 > start }).min() else { return nil }
        let head = try source.read(min(PDFPageFile.headBytes, end - start), start)
        let line = Array("\(number) 0 obj\n".utf8)
        let stream = Array("\nstream\n".utf8)
        guard head.starts(with: line) else { return nil }
        let dictionaryEnd = head.indices.first { head[$0...].starts(with: stream) } ?? head.count
        // What is no stream is read whole.
        guard dictionaryEnd < head.count || head.count == end - start else { return nil }
        return (String(decoding: head[line.count..<dictionaryEnd], as: UTF8.self), dictionaryEnd, start..<end)
    }
}
