/// Measures wall-clock time since its creation.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    package var nanoseconds: UInt64 { UInt64((ContinuousClock.now - start) / .nanoseconds(1)) }
    package var milliseconds: Double { (ContinuousClock.now - start) / .milliseconds(1) }
}
