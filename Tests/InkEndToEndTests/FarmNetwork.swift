import Foundation
import Glibc

/// A namespace for the broker and one for each worker, each joined to the broker's by a cable of its own (veth).
///
/// A process started with `ip netns exec` is replaced by the command, so that signals reach it.
final class FarmNetwork {
    struct NotPermitted: Error, CustomStringConvertible { let description: String }

    private let tag: String
    let workerCount: Int

    init(workers: Int) throws {
        tag = "ink\(getpid() % 100_000)"
        workerCount = workers
        do {
            try shell("ip netns add \(tag)b && ip -n \(tag)b link set lo up")
            for index in 0..<workers {
                let (inside, outside) = ("\(tag)w\(index)", "\(tag)b")
                try shell(
                    """
                    ip netns add \(inside) && ip -n \(inside) link set lo up &&
                    ip -n \(outside) link add c\(index) type veth peer name uplink netns \(inside) &&
                    ip -n \(outside) address add 10.231.\(index).1/24 dev c\(index) &&
                    ip -n \(inside) address add 10.231.\(index).2/24 dev uplink &&
                    ip -n \(outside) link set c\(index) up && ip -n \(inside) link set uplink up
                    """)
            }
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private func remove() {
        for name in (0..<workerCount).map({ "\(tag)w\($0)" }) + ["\(tag)b"] {
            _ = try? Shell.run("ip netns del \(name)")
        }
    }

    private func shell(_ command: String) throws {
        let result = try Shell.run(command)
        guard result.code == 0 else { throw NotPermitted(description: result.output) }
    }

    var brokerPrefix: [String] { ["ip", "netns", "exec", "\(tag)b"] }
    func prefix(ofWorker index: Int) -> [String] { ["ip", "netns", "exec", "\(tag)w\(index % workerCount)"] }
    func brokerAddress(ofWorker index: Int) -> String { "10.231.\(index % workerCount).1" }

    /// Pulls a worker's cable out: nobody is told, packets just go nowhere.
    func cut(_ index: Int) throws { try shell("ip -n \(tag)b link set c\(index) down") }
    func mend(_ index: Int) throws { try shell("ip -n \(tag)b link set c\(index) up") }

    /// Both directions of a cable through a bucket of so many kilobits a second, in which packets wait for up to so long.
    func slow(_ index: Int, kilobits: Int, waiting milliseconds: Int = 200) throws {
        let bucket = "root tbf rate \(kilobits)kbit burst \(min(64, kilobits / 32))kb latency \(milliseconds)ms"
        try shell("tc -n \(tag)b qdisc replace dev c\(index) \(bucket)")
        try shell("tc -n \(tag)w\(index) qdisc replace dev uplink \(bucket)")
    }

    /// Loses a share of the packets in both directions.
    func lose(_ index: Int, percent: Int) throws {
        let netem = "root netem loss \(percent)%"
        let tc =
            "tc -n \(tag)b qdisc replace dev c\(index) \(netem) && tc -n \(tag)w\(index) qdisc replace dev uplink \(netem)"
        if (try? shell(tc)) != nil { return }
        // Kernels without that queue mostly can do it in the packet filter.
        let rule = "-m statistic --mode random --probability \(Double(percent) / 100) -j DROP"
        try shell(
            """
            ip netns exec \(tag)b iptables -A INPUT -i c\(index) \(rule) &&
            ip netns exec \(tag)w\(index) iptables -A INPUT -i uplink \(rule)
            """)
    }
}
