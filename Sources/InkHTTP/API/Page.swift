import CPages
import InkEngine
import InkProtocol

/// A file of the dashboard.
struct Page: Sendable {
    let mediaType: String
    let bytes: [UInt8]
    /// The entity tag of its content.
    let tag: String

    private init(_ mediaType: String, _ bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = bytes
        tag = "\"\(SHA256.digest(bytes).prefix(16).map { $0 }.hexadecimal)\""
    }

    /// By their paths.
    static let all: [String: Page] = {
        var pages: [String: Page] = [:]
        for index in 0..<ink_page_count() {
            let page = ink_page_at(index)
            let bytes = [UInt8](UnsafeBufferPointer(start: page.bytes, count: page.byte_count))
            pages[String(cString: page.path)] = Page(String(cString: page.media_type), bytes)
        }
        return pages
    }()

    /// - Parameter isKnown: whether the browser has it.
    func response(isKnown: Bool) -> HTTPResponse {
        let headers = [
            (name: "ETag", value: tag), (name: "Cache-Control", value: "no-cache"),
            // The page asks nothing of any other host, and runs no script but its own.
            (
                name: "Content-Security-Policy",
                value: "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; object-src 'none'; "
                    + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            ),
        ]
        if isKnown { return HTTPResponse(304, headers: headers) }
        return HTTPResponse(200, headers: headers + [("Content-Type", mediaType)], body: .bytes(bytes))
    }
}
