/// Measures wall-clock time from its making.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    package var milliseconds: Double { (ContinuousClock.now - start) / .milliseconds(1) }
}
