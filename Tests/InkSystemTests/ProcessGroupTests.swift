import Foundation
import Glibc
import InkTestSupport
import Testing

@testable import InkSystem

@Suite("Programs that are started")
struct ProcessGroupTests {
    @Test("A program that is ended leaves nothing that it has started, in its group or out of it")
    func leavesNothing() throws {
        let folder = try TemporaryFolder(prefix: "ink-processes")
        let script = """
            sleep 1000 & echo $! >> \(folder.path(of: "started"))
            setsid sleep 1000 & echo $! >> \(folder.path(of: "started"))
            (setsid sh -c 'setsid sleep 1000 & echo $! >> \(folder.path(of: "started")); wait' &)
            wait
            """
        let program = try ProcessGroup(running: "/bin/sh", ["-c", script], silent: [1, 2])
        func started() -> [pid_t] {
            let text = (try? String(contentsOfFile: folder.path(of: "started"), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap { pid_t($0) }
        }
        while started().count < 3 { usleep(10_000) }
        #expect(!program.hasEnded && started().allSatisfy { kill($0, 0) == 0 })
        program.kill()
        #expect(program.takeStatus() == 128 + SIGKILL)
        // Zombies of those that nobody has waited for are no processes any more.
        func runs(_ process: pid_t) -> Bool {
            let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            return !text.isEmpty && !text.contains(") Z")
        }
        for process in started() {
            for _ in 0..<500 where runs(process) { usleep(10_000) }
            #expect(!runs(process), "process \(process)")
        }
    }

    @Test("A program's exit code and what it is given")
    func exitCode() throws {
        let program = try ProcessGroup(
            running: "/bin/sh", ["-c", "test \"$MORE\" = 1 && exit 3"], silent: [], environment: [("MORE", "1")])
        program.wait()
        #expect(program.hasEnded && program.takeStatus() == 3)
        #expect(throws: SystemFailure.self) { try ProcessGroup(running: "/nonexistent", [], silent: []) }
    }
}
