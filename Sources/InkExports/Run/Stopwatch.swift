/// Measures wall-clock time since its creation.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    package var milliseconds: Double { (ContinuousClock.now - start) / .milliseconds(1) }
}
