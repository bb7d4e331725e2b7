import Foundation
import InkProtocol

/// Many workers in one process, for `Benchmarks/broker_alone.py`: the first time that a task comes, the engine does it,
/// and later its result is sent again at once. What they ask of the broker and send to it is what as many real workers
/// would: each has a connection of its own, fetches the blocks of its tasks and sends whole results.
///
///     BrokerCrew ENDPOINT WORKERS [--shared-blocks] [--keys WORKER.key BROKER.pub]
///
/// A worker forgets a block when none of its tasks needs it, because on a real farm the next picture is another one.
/// With --shared-blocks the workers have one cache together, and a block is fetched once. For each line on standard
/// input a line with the sums so far is printed, in JSON; the program ends with its standard input.
@main
enum BrokerCrew {
    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let endpoint = arguments.popFirst(), let workers = arguments.popFirst().flatMap({ Int($0) }), workers > 0
        else { usage() }
        var options = ZeroMQSocketOptions()
        var sharesBlocks = false
        while let option = arguments.popFirst() {
            switch option {
            case "--shared-blocks": sharesBlocks = true
            case "--keys":
                guard let own = arguments.popFirst(), let broker = arguments.popFirst() else { usage() }
                options.security = .client(
                    try KeyFile.secret(path: own, role: .worker).pair,
                    serverKey: try KeyFile.publicKey(path: broker, role: .broker).publicKey)
            default: usage()
            }
        }
        let sums = CrewSums()
        Thread {
            while readLine() != nil { FileHandle.standardOutput.write(Data("\(sums.line)\n".utf8)) }
            exit(0)
        }.start()
        let post = CrewPost(
            endpoint: endpoint, options: options, context: try ZeroMQContext(), sharesBlocks: sharesBlocks, sums: sums)
        try Crew(workers: workers, post: post).run()
    }

    private static func usage() -> Never {
        print("BrokerCrew ENDPOINT WORKERS [--shared-blocks] [--keys WORKER.key BROKER.pub]")
        exit(2)
    }
}
