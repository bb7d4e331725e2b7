import Foundation
import Testing

/// `make install` and `make uninstall`.
@Suite struct InstallTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Scripts/install.sh").path

    private func files(_ root: String) -> [String] {
        (FileManager.default.subpaths(atPath: root) ?? []).filter { $0.contains("ink") && !$0.hasSuffix("/") }
            .filter { name in
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: root + "/" + name, isDirectory: &isFolder)
                return !isFolder.boolValue
            }.sorted()
    }

    @Test("Everything is put in its place, twice without harm, and removed; files of others stay")
    func installAndUninstall() throws {
        let folder = try EndToEndFolder()
        let root = folder("dest dir/usr")
        let ink = try InkProcess.executable().path
        let other = root + "/share/man/man1/ink-stain.1"
        try FileManager.default.createDirectory(
            atPath: root + "/share/man/man1", withIntermediateDirectories: true)
        try Data(".TH OTHER 1\n".utf8).write(to: URL(fileURLWithPath: other))
        for _ in 0..<2 {
            let result = try Shell.run("'\(Self.script)' '\(ink)' '\(root)'")
            #expect(result.code == 0, "\(result.output)")
        }
        let installed = files(root)
        for name in [
            "bin/ink", "share/man/man1/ink.1", "share/man/man1/ink-export.1", "share/man/man1/ink-completions.1",
            "share/bash-completion/completions/ink", "share/zsh/site-functions/_ink",
            "share/fish/vendor_completions.d/ink.fish",
        ] {
            #expect(installed.contains(name), "\(installed)")
        }
        #expect(!installed.contains { $0.hasSuffix(".new") })
        let version = try Shell.run("'\(root)/bin/ink' --version")
        #expect(version.code == 0)
        #expect(try Shell.run("'\(Self.script)' --uninstall '\(root)'").code == 0)
        #expect(files(root) == ["share/man/man1/ink-stain.1"])
    }

    @Test("make demo and make test say first what they install and how long they take", arguments: ["demo", "test"])
    func announcements(target: String) throws {
        let folder = URL(fileURLWithPath: Self.script).deletingLastPathComponent().deletingLastPathComponent()
        // These tests may be run by make themselves, which would name its folder.
        let plan = try Shell.run("make --no-print-directory -n \(target)", folder: folder)
        #expect(plan.output.hasPrefix("echo \"\(target): installs missing libraries"), "\(plan.output)")
        #expect(plan.output.contains("minutes on 2 cores"))
        let list = try Shell.run("Scripts/setup.sh --list build", folder: folder)
        #expect(list.code == 0)
        #expect(
            list.output.hasPrefix("setup: nothing to install") || list.output.hasPrefix("setup: will install"),
            "\(list)")
    }
}
