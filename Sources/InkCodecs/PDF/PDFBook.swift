import Glibc
public import InkEngine
import InkSystem

/// A PDF of several pages, from files of one page as `PDFCodec` writes them.
public struct PDFBook {
    /// A file that is read at any place.
    public struct Source {
        public var byteCount: Int
        /// Reads so many bytes at an offset.
        public var read: (_ count: Int, _ offset: Int) throws(EngineError) -> [UInt8]

        /// - Throws: `EngineError.io`.
        public init(path: String) throws(EngineError) {
            let file = try EngineError.wrapping { () throws(SystemFailure) in
                try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
            }
            byteCount = try EngineError.wrapping { () throws(SystemFailure) in try file.status().byteCount }
            read = { (count, offset) throws(EngineError) in
                try EngineError.wrapping { () throws(SystemFailure) in try file.read(count, at: offset) }
            }
        }

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

    /// Writes the head of the file.
    ///
    /// - Throws: what `append` throws.
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
        guard let file = try PDFPageFile(source) else {
            throw .badInput(place, reason: "not a PDF of one page as ink writes it")
        }
        let own = try file.objects(
            under: PDFAssembler.Numbers.page, without: [PDFAssembler.Numbers.pages], place: place)
        var numbers = [PDFAssembler.Numbers.pages: pages]
        for number in own { numbers[number] = body.reserve() }
        for number in own { try file.copy(number, numbers, to: &body, place: place, append) }
        kids.append(numbers[PDFAssembler.Numbers.page] ?? 0)
    }

    /// Writes what follows the pages.
    ///
    /// - Precondition: there is a page.
    /// - Throws: what `append` throws.
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
struct PDFPageFile {
    private let source: PDFBook.Source
    /// The offsets of objects 1, 2, ...; 0 for one that is not there.
    private var offsets: [Int] = []
    /// The offsets in ascending order, and that of the table behind the last object.
    private var ends: [Int] = []

    /// More than trailer and last lines have together.
    private static let tailBytes = 4096
    /// More than any dictionary of a page has.
    private static let headBytes = 1 << 20
    private static let objectsMax = 10_000_000
    private static let copiedBytes = 1 << 20

    /// nil for a file that does not have this form.
    init?(_ source: PDFBook.Source) throws(EngineError) {
        self.source = source
        let header = PDFAssembler.header
        guard source.byteCount > header.count, try source.read(header.count, 0) == header else { return nil }
        let count = min(source.byteCount, PDFPageFile.tailBytes)
        let tail = try source.read(count, source.byteCount - count)
        let last = String(decoding: tail, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard last.count > 4, last.suffix(2) == ["%%EOF", ""], last[last.count - 4] == "startxref",
            let table = Int(last[last.count - 3]), table > header.count, table < source.byteCount
        else { return nil }
        let lineBytes = 20
        let start = try source.read(min(40, source.byteCount - table), table)
        let lines = String(decoding: start, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 2, lines[0] == "xref", lines[1].hasPrefix("0 "), let objects = Int(lines[1].dropFirst(2)),
            objects > PDFAssembler.Numbers.contents, objects < PDFPageFile.objectsMax
        else { return nil }
        let first = table + lines[0].utf8.count + lines[1].utf8.count + 2
        guard first + objects * lineBytes < source.byteCount else { return nil }
        let rows = try source.read(objects * lineBytes, first)
        for row in 1..<objects {
            let digits = rows[(row * lineBytes)..<(row * lineBytes + 10)]
            guard let offset = Int(String(decoding: digits, as: UTF8.self)), offset > 0, offset < table else {
                return nil
            }
            offsets.append(offset)
        }
        ends = (offsets + [table]).sorted()
    }

    /// The numbers of an object and of all that it refers to, in ascending order.
    ///
    /// - Parameter left: those that do not belong to it.
    /// - Throws: `EngineError.badInput` at `place` if one is not there.
    func objects(under root: Int, without left: Set<Int> = [], place: Place) throws(EngineError) -> [Int] {
        var found: Set = [root]
        var open = [root]
        while let number = open.popLast() {
            for match in try head(of: number, place: place).text.matches(of: /(\d+) 0 R/) {
                guard let next = Int(match.1), !left.contains(next), found.insert(next).inserted else { continue }
                open.append(next)
            }
        }
        return found.sorted()
    }

    /// Copies an object.
    ///
    /// - Parameters:
    ///   - numbers: those that objects get.
    ///   - append: takes the bytes in order.
    func copy(
        _ number: Int, _ numbers: [Int: Int], to body: inout PDFBody, place: Place,
        _ append: ([UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        let (text, head, range) = try head(of: number, place: place)
        var bytes = body.begin(numbers[number] ?? 0)
        bytes += body.add(text.replacing(/(\d+) 0 R/) { match in "\(numbers[Int(match.1) ?? 0] ?? 0) 0 R" })
        try append(bytes)
        var offset = range.lowerBound + head
        while offset < range.upperBound {
            let count = min(PDFPageFile.copiedBytes, range.upperBound - offset)
            try append(body.add(try source.read(count, offset)))
            offset += count
        }
    }

    /// An object's dictionary and what follows up to its stream, the length of that in the file with the line of its
    /// number, and where all of the object is.
    private func head(
        of number: Int, place: Place
    ) throws(EngineError) -> (text: String, head: Int, range: Range<Int>) {
        let damage = EngineError.badInput(place, reason: "the PDF is damaged: object \(number) is not whole")
        guard offsets.indices.contains(number - 1) else { throw damage }
        let start = offsets[number - 1]
        // The first offset behind this one.
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > start { high = middle } else { low = middle + 1 }
        }
        guard low < ends.count else { throw damage }
        let end = ends[low]
        let line = Array("\(number) 0 obj\n".utf8)
        let stream = Array("\nstream\n".utf8)
        // Most are short.
        var count = min(4096, end - start)
        while true {
            let head = try source.read(count, start)
            guard head.starts(with: line) else { throw damage }
            let found = head.indices.first { head[$0] == stream[0] && head[$0...].starts(with: stream) }
            if let dictionaryEnd = found ?? (count == end - start ? count : nil) {
                return (
                    String(decoding: head[line.count..<dictionaryEnd], as: UTF8.self), dictionaryEnd, start..<end
                )
            }
            guard count < min(PDFPageFile.headBytes, end - start) else { throw damage }
            count = min(count * 8, end - start)
        }
    }
}
