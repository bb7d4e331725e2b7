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
    static let all: [String: Page] = {
        var pages = [
            "/": Page("text/html; charset=utf-8", PackageResources.index_html),
            "/app.css": Page("text/css; charset=utf-8", PackageResources.app_css),
            "/openapi.json": Page("application/json", PackageResources.openapi_json),
        ]
        let scripts = [
            "api": PackageResources.api_js,
            "app": PackageResources.app_js,
            "batch": PackageResources.batch_js,
            "dom": PackageResources.dom_js,
            "farm": PackageResources.farm_js,
            "figures": PackageResources.figures_js,
            "job": PackageResources.job_js,
            "list": PackageResources.list_js,
            "patterns": PackageResources.patterns_js,
            "press": PackageResources.press_js,
            "pulse": PackageResources.pulse_js,
            "start": PackageResources.start_js,
            "submit": PackageResources.submit_js,
            "viewer": PackageResources.viewer_js,
            "workers": PackageResources.workers_js,
        ]
        for (name, bytes) in scripts { pages["/\(name).js"] = Page("text/javascript; charset=utf-8", bytes) }
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
