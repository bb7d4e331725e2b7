package import InkExports

/// Measures what a benchmark exports.
package struct BenchMeasuring {
    /// The measurements of a subject so far.
    private struct Measured {
        private(set) var isWarm = false
        private(set) var samples: [BenchSample] = []
        private(set) var peakBytes: Int?

        /// The first time warms up; what memory the export takes is asked then.
        mutating func add(_ sample: BenchSample, peakBytes: () -> Int?) {
            if isWarm {
                samples.append(sample)
            } else {
                isWarm = true
                self.peakBytes = peakBytes()
            }
        }
    }

    private let runner: BenchRunner
    private let runs: Int
    private let sha256: ([UInt8]) -> [UInt8]
    /// Why projects were left out.
    package private(set) var failures: [ExitCode] = []

    /// - Parameter runs: without the one that warms up.
    package init(_ runner: BenchRunner, runs: Int, sha256: @escaping ([UInt8]) -> [UInt8]) {
        self.runner = runner
        self.runs = runs
        self.sha256 = sha256
    }

    /// All subjects in turns, so that whatever else the machine does meanwhile meets each of them alike. A project that fails
    /// is left out from then on.
    ///
    /// - Parameter onRun: called before each run, with its number from 1; 0 for the one that warms up.
    /// - Returns: nothing once the runner is stopped.
    package mutating func results(
        of subjects: [BenchSubject], onRun: (_ subject: BenchCase, _ number: Int) -> Void
    ) -> [BenchResult] {
        var subjects = subjects
        var measured: [Measured?] = subjects.map { _ in Measured() }
        while true {
            let waiting = subjects.indices.filter { (measured[$0]?.samples.count ?? .max) < runs }
            if waiting.isEmpty { break }
            for index in waiting {
                let subject = subjects[index]
                if let known = measured[index] {
                    onRun(subject.subject, known.isWarm ? known.samples.count + 1 : 0)
                }
                do throws(BenchFailure) {
                    guard let sample = try runner.measure(subject) else { return [] }
                    measured[index]?.add(sample) { runner.peakBytes(subject) }
                } catch {
                    failures.append(error.exitCode)
                    measured[index] = nil
                    guard !error.paths.isEmpty,
                        let others = subject.leaving(out: error.paths, sha256: sha256)
                    else { continue }
                    // The others are measured anew: their time together is another.
                    subjects[index] = others
                    measured[index] = Measured()
                }
            }
        }
        return zip(subjects, measured).compactMap { subject, measured in
            measured.map { BenchResult(subject: subject.subject, samples: $0.samples, peakBytes: $0.peakBytes) }
        }
    }
}
