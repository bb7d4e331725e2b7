import Glibc
import InkEngine
import InkSystem

/// Writes the PDF files of a run as the pages of one file.
struct BookWriting {
    /// Of the file to write.
    var path: String
    /// The files of the pages, in their order; at least one.
    var pages: [String]
    /// The program's name and version; nil: not written.
    var software: String?

    /// - Throws: if a page cannot be read, or the file not written; what was there before is then still there.
    func run() throws(EngineError) {
        var file = try wrapping(path) { () throws(SystemFailure) in try PendingFile(target: path) }
        do throws(EngineError) {
            var book = PDFBook(software: software) { (bytes) throws(EngineError) in
                try wrapping(path) { () throws(SystemFailure) in try file.write(bytes) }
            }
            try book.begin()
            for page in pages { try book.add(source(page), place: Place(file: page)) }
            try book.end()
            try wrapping(path) { () throws(SystemFailure) in
                try file.sync()
                try file.publish()
            }
        } catch {
            file.discard()
            throw error
        }
    }

    private func source(_ page: String) throws(EngineError) -> PDFBook.Source {
        let file = try wrapping(page) { () throws(SystemFailure) in
            try FileDescriptor(opening: page, flags: O_RDONLY, operation: "open")
        }
        let byteCount = try wrapping(page) { () throws(SystemFailure) in try file.status().byteCount }
        return PDFBook.Source(byteCount: byteCount) { (count, offset) throws(EngineError) in
            try wrapping(page) { () throws(SystemFailure) in try file.read(count, at: offset) }
        }
    }

    private func wrapping<T>(
        _ path: String, _ body: () throws(SystemFailure) -> T
    ) throws(EngineError) -> T {
        do throws(SystemFailure) { return try body() } catch {
            throw .io(path: path, operation: error.operation, errno: error.errno)
        }
    }
}
