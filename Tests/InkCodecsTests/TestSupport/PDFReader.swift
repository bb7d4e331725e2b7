import InkCodecs
import InkEngine

/// Objects of a PDF by its table of cross references.
struct PDFReader {
    private let file: [UInt8]
    private var offsets: [Int] = []
    private(set) var trailer = ""

    /// nil if the table does not say exactly where the objects are.
    init?(_ file: [UInt8]) {
        self.file = file
        let text = String(decoding: file.map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
        guard text.hasPrefix("%PDF-1.7\n"), text.hasSuffix("\n%%EOF\n") else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = Int(lines[lines.count - 3]), lines[lines.count - 4] == "startxref", start < file.count else {
            return nil
        }
        let table = String(decoding: file[start...], as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard table[0] == "xref", table[1].hasPrefix("0 "), let count = Int(table[1].dropFirst(2)),
            table[2] == "0000000000 65535 f "
        else { return nil }
        for number in 1..<count {
            let line = table[2 + number]
            guard line.utf8.count == 19, line.hasSuffix(" 00000 n "), let offset = Int(line.prefix(10)),
                file[offset...].starts(with: "\(number) 0 obj\n".utf8)
            else { return nil }
            offsets.append(offset)
        }
        guard table[2 + count] == "trailer", table[3 + count].contains("/Size \(count) ") else { return nil }
        trailer = String(table[3 + count])
    }

    /// The text of an object up to its stream or its end.
    func object(_ number: Int) -> String? {
        guard (1...offsets.count).contains(number) else { return nil }
        let bytes = file[offsets[number - 1]...].prefix(4_000)
        let text = String(decoding: bytes.map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
        let body = text.dropFirst("\(number) 0 obj\n".utf8.count)
        return [body.firstRange(of: "\nstream\n"), body.firstRange(of: "\nendobj\n")].compactMap { $0?.lowerBound }
            .min()
            .map { String(body[..<$0]) }
    }

    func reference(_ key: String, in dictionary: String) -> Int? {
        guard let range = dictionary.firstRange(of: "\(key) ") else { return nil }
        let rest = dictionary[range.upperBound...]
        return rest.firstRange(of: " 0 R").flatMap { Int(rest[..<$0.lowerBound]) }
    }

    func stream(_ number: Int) -> (dictionary: String, bytes: [UInt8])? {
        guard let dictionary = object(number), let range = dictionary.firstRange(of: "/Length ") else { return nil }
        var length = Int(dictionary[range.upperBound...].prefix { $0.isNumber })
        if let other = reference("/Length", in: dictionary) { length = object(other).flatMap { Int($0) } }
        let start = offsets[number - 1] + "\(number) 0 obj\n\(dictionary)\nstream\n".utf8.count
        guard let length, start + length <= file.count,
            file[(start + length)...].starts(with: "\nendstream\nendobj\n".utf8)
        else { return nil }
        return (dictionary, Array(file[start..<(start + length)]))
    }

    /// The content of a stream of text.
    func text(_ number: Int) throws -> String? {
        guard let (dictionary, bytes) = stream(number), dictionary.contains("/FlateDecode") else { return nil }
        let piece = try RawInflate.open(Array(bytes.dropFirst(2)), limit: 1 << 26)
        return piece.endsStream ? String(decoding: piece.content, as: UTF8.self) : nil
    }

    var objectCount: Int { offsets.count }

    var page: String? { pages.first }

    var pages: [String] {
        guard let catalog = reference("/Root", in: trailer).flatMap(object),
            let tree = reference("/Pages", in: catalog).flatMap(object), let start = tree.firstRange(of: "/Kids [")
        else { return [] }
        let kids = tree[start.upperBound...].prefix { $0 != "]" }.split(separator: " ")
        return stride(from: 0, to: kids.count, by: 3).compactMap { Int(kids[$0]).flatMap(object) }
    }
}
