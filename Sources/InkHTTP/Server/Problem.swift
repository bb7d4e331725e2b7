import InkJSON

/// Why a request failed, as a problem document (RFC 9457).
package struct Problem: Error, Sendable {
    package var status: Int
    package var title: String
    package var detail: String
    package var headers: [(name: String, value: String)] = []

    package init(_ status: Int, _ title: String, _ detail: String, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = headers
    }

    static func malformed(_ detail: String) -> Problem { Problem(400, "Bad Request", detail) }
    static func missing(_ what: String) -> Problem { Problem(404, "Not Found", "there is no \(what)") }
    static func conflict(_ detail: String) -> Problem { Problem(409, "Conflict", detail) }
    /// - Parameter what: the body, or a part of it.
    static func tooLarge(_ what: String, _ limit: Int) -> Problem {
        Problem(413, "Content Too Large", "\(what) has more than the \(limit) bytes that are taken")
    }
    /// - Parameter option: what the limit is set by.
    static func tooLargeDocument(_ limit: Int, option: String) -> Problem {
        Problem(
            413, "Content Too Large",
            "the documents have more than the \(limit) bytes that are taken (\(option)); send fewer at once, or start ink "
                + "broker with a larger limit")
    }
    static func unprocessable(_ detail: String) -> Problem { Problem(422, "Unprocessable Content", detail) }
    static func busy(_ detail: String, retrySeconds: Int = 1) -> Problem {
        Problem(503, "Service Unavailable", detail, headers: [("Retry-After", "\(retrySeconds)")])
    }

    package var response: HTTPResponse {
        let document: JSONValue = [
            "type": .string("about:blank"), "title": .string(title), "status": .integer(status),
            "detail": .string(detail),
        ]
        return HTTPResponse(
            status, headers: [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")] + headers,
            body: .bytes(Array(document.line.utf8)))
    }
}

extension HTTPResponse {
    static func json(
        _ value: JSONValue, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        json(Array(value.line.utf8), status: status, headers: headers)
    }

    static func json(
        _ text: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers,
            body: .bytes(text))
    }
}
