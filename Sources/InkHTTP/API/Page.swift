import InkEngine
import InkProtocol

/// A file of the dashboard.
struct Page: Sendable {
    let mediaType: String
    let bytes: [UInt8]
    /// Of its content.
    let tag: String

    private init(_ mediaType: String, _ bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = bytes
        tag = "\"\(SHA256.digest(bytes).prefix(16).map { $0 }.hexadecimal)\""
    }

    /// By their paths.
    static let all: [String: Page] = [
        "/": Page("text/html; charset=utf-8", PackageResources.index_html),
        "/app.css": Page("text/css; charset=utf-8", PackageResources.app_css),
        "/app.js": Page("text/javascript; charset=utf-8", PackageResources.app_js),
        "/openapi.json": Page("application/json", PackageResources.openapi_json),
    ]

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
