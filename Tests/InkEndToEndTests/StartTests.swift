import Foundation
import Testing

/// The libraries that a run loads.
@Suite(.timeLimit(.minutes(5)))
struct StartTests {
    private func run(_ arguments: [String], _ variable: String) throws -> InkProcess.Result {
        try InkProcess(arguments, prefix: ["env", variable]).wait()
    }

    @Test("The program is linked to few libraries, those that it brings included")
    func linked() throws {
        let result = try run(["--version"], "LD_TRACE_LOADED_OBJECTS=1")
        // Tests run a program that is linked to Swift's own libraries; a release has them inside.
        let libraries = result.output.split(separator: "\n").filter { !$0.contains("/swift/") }
        #expect(libraries.contains { $0.contains("libc.so.6") })
        #expect(libraries.count <= 25, "\(result.output)")
    }

    @Test("An export loads what it needs")
    func loaded() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        for (name, needed) in [("a.png", []), ("a.webp", ["libwebp"])] {
            let result = try run(["export", project, "-o", folder(name), "--size", "64x64"], "LD_DEBUG=libs")
            #expect(result.code == 0)
            let started = result.error.split(separator: "\n").filter { $0.contains("calling init: ") }
            #expect(started.contains { $0.contains("/libz.so") })
            let found = ["libsqlite3", "libmicrohttpd", "libharfbuzz", "libtiff", "libwebp", "libgif", "liblcms2"]
                .filter { library in started.contains { $0.contains("/\(library).so") } }
            #expect(found == needed, "\(name)")
        }
    }

    @Test("Who needs a library that cannot be loaded reads its package's name; others do not notice")
    func missing() throws {
        let folder = try EndToEndFolder()
        try folder.file("libwebp.so.7", "")
        let project = try folder.file("a.ink", GoodProject.small)
        func export(_ name: String) throws -> InkProcess.Result {
            try run(["export", project, "-o", folder(name), "--size", "64x64"], "LD_LIBRARY_PATH=\(folder.path)")
        }
        #expect(try export("a.png").code == 0)
        let result = try export("a.webp")
        #expect(result.code == 127)
        #expect(result.error.hasPrefix("ink: error: ") && result.error.contains("libwebp.so.7"), "\(result.error)")
        #expect(result.error.hasSuffix(" (package libwebp7)\n"), "\(result.error)")
        #expect(try run(["doctor"], "LD_LIBRARY_PATH=\(folder.path)").code == 127)
    }
}
