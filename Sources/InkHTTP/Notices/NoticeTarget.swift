import CURL
import Glibc
import InkEngine
import InkProtocol
import InkSystem

/// Where notices go.
package enum NoticeTarget: Sendable {
    /// A program, which gets a notice on its standard input.
    case command(String)
    /// An address that a notice is posted to, signed if there is a secret.
    case webhook(url: String, secret: [UInt8]?)

    enum Outcome: Hashable {
        case delivered
        /// Trying again may help.
        case failed(String)
        /// The receiver does not want it.
        case refused(String)
    }

    private static let patienceMilliseconds = 30_000

    /// By which it is known from life to life.
    var name: String {
        switch self {
        case .command(let path): "command \(path)"
        case .webhook(let url, _): url
        }
    }

    /// - Parameters:
    ///   - id: the same for each try, so that a receiver can drop repetitions.
    ///   - time: seconds since 1970.
    ///   - isStopping: whether there is no time left for it.
    func deliver(
        _ notice: [UInt8], event: String, id: String, time: Int64, isStopping: () -> Bool
    ) -> Outcome {
        switch self {
        case .command(let path):
            return NoticeCommand.run(
                path, notice, event: event, id: id, milliseconds: Self.patienceMilliseconds, isStopping: isStopping)
        case .webhook(let url, let secret):
            var headers = [
                "Content-Type: application/json", "Ink-Event: \(event)", "Ink-Delivery: \(id)",
                "Ink-Timestamp: \(time)",
            ]
            if let secret {
                headers.append("Ink-Signature: v1=\(Self.signature(notice, time: time, secret: secret).hexadecimal)")
            }
            let (status, message) = HTTPPost.send(
                notice, to: url, headers: headers, milliseconds: Self.patienceMilliseconds)
            switch status {
            case 200..<300: return .delivered
            case 0: return .failed(message)
            case 400..<500 where ![408, 425, 429].contains(status): return .refused("it answers \(status)")
            default: return .failed("it answers \(status)")
            }
        }
    }

    /// Signs the time, a dot and the notice.
    static func signature(_ notice: [UInt8], time: Int64, secret: [UInt8]) -> [UInt8] {
        HMAC.sha256(Array("\(time).".utf8) + notice, key: secret)
    }
}

/// Posts to HTTP servers.
enum HTTPPost {
    /// The status of the answer; 0 if there was none, and why.
    static func send(
        _ body: [UInt8], to url: String, headers: [String], milliseconds: Int
    ) -> (status: Int, message: String) {
        var message = [CChar](repeating: 0, count: Int(INK_URL_MESSAGE_BYTES))
        let copies = headers.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let lines = copies.map { UnsafePointer($0) }
        let status = ink_url_post(url, lines, lines.count, body, body.count, milliseconds, &message)
        let end = message.firstIndex(of: 0) ?? message.endIndex
        return (Int(status), String(decoding: message[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}

/// Runs a program for a notice.
private enum NoticeCommand {
    static func run(
        _ path: String, _ notice: [UInt8], event: String, id: String, milliseconds: Int, isStopping: () -> Bool
    ) -> NoticeTarget.Outcome {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return .failed(SystemFailure.text(of: errno)) }
        // Neither this end nor the other is for programs that are started meanwhile.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let program: ProcessGroup
        do throws(SystemFailure) {
            program = try ProcessGroup(
                running: path, [event], input: ends[0], silent: [STDOUT_FILENO],
                environment: [("INK_DELIVERY", id)])
            close(ends[0])
        } catch {
            for end in ends { close(end) }
            return .failed("\(path) cannot be run: \(SystemFailure.text(of: error.errno))")
        }
        // A notice fits into the pipe, or the program reads it. One that does neither is ended below.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let deadline = SystemClock.milliseconds + UInt64(milliseconds)
        var sent = 0
        while !program.hasEnded, SystemClock.milliseconds < deadline, !isStopping() {
            if sent < notice.count {
                let count = notice.withUnsafeBytes { write(ends[1], $0.baseAddress! + sent, notice.count - sent) }
                if count > 0 { sent += count } else if errno != EAGAIN { sent = notice.count }
                if sent == notice.count { close(ends[1]) }
            }
            usleep(5_000)
        }
        if sent < notice.count { close(ends[1]) }
        let hasEnded = program.hasEnded
        if !hasEnded { program.kill() }
        let status = program.takeStatus()
        guard hasEnded else { return .failed("\(path) has not ended in \(milliseconds / 1000) s") }
        return status == 0 ? .delivered : .failed("\(path) ended with \(status)")
    }
}
