import Glibc

// Usage: Compositing [ROUNDS], 5 if not said.
let rounds = CommandLine.arguments.dropFirst().first.map { Int($0) ?? 0 } ?? 5
guard rounds > 0 else {
    print("Compositing: the number of rounds must be above 0")
    exit(2)
}
CompositingBenchmark(rounds: rounds).run()
