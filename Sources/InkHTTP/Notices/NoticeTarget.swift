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

    /// - Parameters:
    ///   - id: the same for each try, so that a receiver can drop repetitions.
    ///   - time: seconds since 1970.
    func deliver(_ notice: [UInt8], event: String, id: String, time: Int64) -> Outcome {
        switch self {
        case .command(let path):
            return NoticeCommand.run(path, notice, event: event, milliseconds: Self.patienceMilliseconds)
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

    /// Of the time, a dot and the notice.
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
    static func run(_ path: String, _ notice: [UInt8], event: String, milliseconds: Int) -> NoticeTarget.Outcome {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return .failed(SystemFailure.text(of: errno)) }
        // Neither this end nor the other is for programs that are started meanwhile.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_adddup2(&files, ends[0], 0)
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The broker ignores or blocks some signals, which the program must not inherit.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(event), nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawn(&process, path, &files, &attributes, &arguments, environ)
        close(ends[0])
        guard code == 0 else {
            close(ends[1])
            return .failed("\(path) cannot be run: \(SystemFailure.text(of: code))")
        }
        // A notice fits into the pipe, or the program reads it. One that does neither is ended below.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let deadline = SystemClock.milliseconds + UInt64(milliseconds)
        var sent = 0
        var status: Int32 = 0
        var hasEnded = false
        while !hasEnded, SystemClock.milliseconds < deadline {
            if sent < notice.count {
                let count = notice.withUnsafeBytes { write(ends[1], $0.baseAddress! + sent, notice.count - sent) }
                if count > 0 { sent += count } else if errno != EAGAIN { sent = notice.count }
                if sent == notice.count { close(ends[1]) }
            }
            hasEnded = waitpid(process, &status, WNOHANG) == process
            if !hasEnded { usleep(5_000) }
        }
        if sent < notice.count { close(ends[1]) }
        guard hasEnded else {
            kill(process, SIGKILL)
            waitpid(process, &status, 0)
            return .failed("\(path) has not ended in \(milliseconds / 1000) s")
        }
        let exit = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        return exit == 0 ? .delivered : .failed("\(path) ended with \(exit)")
    }
}
