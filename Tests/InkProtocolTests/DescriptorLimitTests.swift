import Foundation
import Glibc
@testable import InkProtocol
import InkSystem
import Testing

/// A socket that listens in a process without descriptors. Each test is a process of its own.
@Suite("Connections that no descriptor is left for", .serialized)
struct DescriptorLimitTests {
    /// A connection to this port, which nobody needs to have taken yet; -1: there is no descriptor for it.
    private static func connect(_ port: UInt16) -> Int32 {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard connection >= 0 else { return -1 }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(connection)
            return -1
        }
        return connection
    }

    /// Takes all descriptors but so many.
    private static func fill(leaving count: Int) -> [Int32] {
        var taken: [Int32] = []
        while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
        for _ in 0..<count { close(taken.removeLast()) }
        return taken
    }

    private static func setLimit(_ count: Int) {
        var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// What this process has computed, milliseconds.
    private static var computed: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000
            + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000
    }

    @Test("They are turned away with one word, without spinning; with a descriptor they are taken again")
    func turnsAway() async {
        await #expect(processExitsWith: .exitCode(42)) {
            Self.setLimit(60)
            let context = try ZeroMQContext()
            let socket = try ZeroMQSocket(.router, context: context)
            try socket.bind("tcp://127.0.0.1:*")
            let port = UInt16(socket.boundEndpoint.split(separator: ":").last!)!
            var (words, isSpinning) = (0, false)
            let began = SystemClock.milliseconds
            /// A broker's loop for so long.
            func serve(milliseconds: Int) throws {
                let end = SystemClock.milliseconds + UInt64(milliseconds)
                while SystemClock.milliseconds < end {
                    var items = [socket.pollItem()] + socket.listeningItems
                    _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 25)
                    if socket.turnAway() != nil { words += 1 }
                    while try socket.receive() != nil {}
                }
            }
            var taken = Self.fill(leaving: 20)
            for _ in 0..<20 {
                // The other end of each needs one, too: at last there is none for it.
                var connections: [Int32] = []
                while case let connection = Self.connect(port), connection >= 0 {
                    connections.append(connection)
                    try serve(milliseconds: 10)
                }
                let before = Self.computed
                try serve(milliseconds: 300)
                if Self.computed - before > 150 { isSpinning = true }
                for connection in connections { close(connection) }
                try serve(milliseconds: 50)
            }
            // One more after a while of quiet, which a busy machine may well take.
            let wordsMax = 1 + Int((SystemClock.milliseconds - began) / AcceptGuard.quietMilliseconds)
            for _ in 0..<4 { close(taken.removeLast()) }
            let client = try ZeroMQSocket(.dealer, context: try ZeroMQContext())
            try client.connect(socket.boundEndpoint)
            _ = try client.send([[1]])
            var isHeard = false
            // By time, not by turns: a connection that libzmq has not come to yet ends the wait at once.
            let end = SystemClock.milliseconds + 60_000
            while !isHeard, SystemClock.milliseconds < end {
                var items = [socket.pollItem()] + socket.listeningItems
                _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 50)
                _ = socket.turnAway()
                isHeard = try socket.receive() != nil
            }
            exit(isSpinning ? 1 : words < 1 ? 2 : words > wordsMax ? 4 : isHeard ? 42 : 3)
        }
    }
}
