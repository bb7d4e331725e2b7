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
        try FileSystem.writeInPieces(to: path) { (write) throws(EngineError) in
            var book = PDFBook(software: software, append: write)
            try book.begin()
            for page in pages { try book.add(PDFBook.Source(path: page), place: Place(file: page)) }
            try book.end()
        }
    }
}
