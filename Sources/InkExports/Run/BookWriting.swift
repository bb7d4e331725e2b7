import InkCodecs
import InkEngine
import InkSystem

/// Writes the PDF files of a run as the pages of one file.
struct BookWriting {
    /// The path of the file to write.
    var path: String
    /// The files of the pages, in their order; at least one.
    var pages: [String]
    /// The program's name and version; nil: not written.
    var software: String?

    /// - Throws: if a page cannot be read, or the file not written; what was there before is then still there.
    func run() throws(EngineError) {
        var file = try EngineError.wrapping { () throws(SystemFailure) in try PendingFile(target: path) }
        do throws(EngineError) {
            var book = PDFBook(software: software) { (bytes) throws(EngineError) in
                try EngineError.wrapping { () throws(SystemFailure) in try file.write(bytes) }
            }
            try book.begin()
            for page in pages { try book.add(PDFBook.Source(path: page), place: Place(file: page)) }
            try book.end()
            try EngineError.wrapping { () throws(SystemFailure) in
                try file.sync()
                try file.publish()
            }
        } catch {
            file.discard()
            throw error
        }
    }
}
