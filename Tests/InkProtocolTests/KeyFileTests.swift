import Foundation
import InkTestSupport
import Testing

@testable import InkProtocol

@Suite("Key files")
struct KeyFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder(prefix: "ink-keys") }

    private func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = folder.path(of: name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func mode(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test func aPairIsReadBackAndItsSecretIsTheOwnersOnly() throws {
        let made = try KeyFile.generate(name: "render-1", role: .worker, folder: folder.path)
        #expect(try mode(made.secret) == 0o600)
        let secret = try KeyFile.secret(path: made.secret, role: .worker)
        let open = try KeyFile.publicKey(path: made.public, role: .worker)
        #expect(secret.name == "render-1" && open.name == "render-1")
        #expect(secret.pair.publicKey == open.publicKey && open.secretKey == nil)
    }

    @Test func keysAreNeverReplaced() throws {
        let made = try KeyFile.generate(name: "a", role: .client, folder: folder.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: made.secret))
        #expect(throws: KeyError.exists(path: made.public)) {
            try KeyFile.generate(name: "a", role: .client, folder: folder.path)
        }
        try FileManager.default.removeItem(atPath: made.public)
        #expect(throws: KeyError.exists(path: made.secret)) {
            try KeyFile.generate(name: "a", role: .client, folder: folder.path)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: made.secret)) == before)
    }

    @Test(arguments: ["", ".hidden", "a/b", "a b", "\u{e4}", String(repeating: "x", count: 65)])
    func badNamesAreRefused(name: String) {
        #expect(throws: KeyError.badName(name)) { try KeyFile.generate(name: name, role: .client, folder: folder.path) }
    }

    @Test func rolesAreKeptApart() throws {
        let made = try KeyFile.generate(name: "a", role: .client, folder: folder.path)
        #expect(throws: KeyError.wrongRole(path: made.public, found: .client, expected: .worker)) {
            try KeyFile.publicKey(path: made.public, role: .worker)
        }
        #expect(throws: KeyError.wrongRole(path: made.secret, found: .client, expected: .broker)) {
            try KeyFile.secret(path: made.secret, role: .broker)
        }
        #expect(throws: KeyError.noSecret(path: made.public)) { try KeyFile.secret(path: made.public, role: .client) }
    }

    @Test(arguments: [0o644, 0o604, 0o602, 0o620, 0o601])
    func aSecretThatOthersCanReachIsRefused(mode: Int) throws {
        let made = try KeyFile.generate(name: "a", role: .client, folder: folder.path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: made.secret)
        #expect(throws: KeyError.exposed(path: made.secret)) { try KeyFile.secret(path: made.secret, role: .client) }
        // A service manager hands secrets over to a group.
        try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: made.secret)
        _ = try KeyFile.secret(path: made.secret, role: .client)
    }

    @Test func halvesOfTwoPairsAreNoKey() throws {
        let (a, b) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
        let text = "role = client\nname = a\npublic = \(a.publicKey)\nsecret = \(b.secretKey)\n"
        let path = try write("mixed.key", text)
        #expect(throws: KeyError.malformed(path: path, reason: "its two halves do not belong together")) {
            try KeyFile.secret(path: path, role: .client)
        }
    }

    @Test(arguments: [
        "", "hello", "role = client\n", "role = king\nname = a\npublic = x\n", "role = client\nrole = client\n",
        "role = client\nname = a\npublic = too short\n", "role = client\nname = a b\n", "\u{0}\u{1}",
        "role = client\nname = a\npublic = " + String(repeating: "~", count: 40) + "\n",
        String(repeating: "# long\n", count: 1_000),
    ])
    func whatIsNoKeyFileIsRefusedWithItsPath(text: String) throws {
        let path = try write("bad.pub", text)
        let error = #expect(throws: KeyError.self) { try KeyFile.read(path: path) }
        #expect("\(try #require(error))".hasPrefix(path))
    }

    @Test(arguments: 0..<200) func randomChangesAreRefusedOrMeanAKey(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pair = try CurveKeyPair.generate()
        var bytes = Array("role = worker\nname = a\npublic = \(pair.publicKey)\nsecret = \(pair.secretKey)\n".utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
        do throws(KeyError) {
            let key = try KeyFile.parse(bytes, path: "changed")
            #expect(CurveKeyPair.isKey(key.publicKey), "seed \(seed)")
        } catch {
            #expect("\(error)".hasPrefix("changed"), "seed \(seed)")
        }
    }

    @Test func anAllowListIsLookedAtAnewAndRefusesStrangeFilesAtTheStart() throws {
        let keys = try TemporaryFolder(prefix: "ink-allowed")
        let (one, two) = (
            try KeyFile.generate(name: "one", role: .worker, folder: folder.path),
            try KeyFile.generate(name: "two", role: .worker, folder: folder.path)
        )
        try FileManager.default.copyItem(atPath: one.public, toPath: keys.path(of: "one.pub"))
        let list = try AllowList(path: keys.path, role: .worker)
        let (first, second) = (try KeyFile.read(path: one.public), try KeyFile.read(path: two.public))
        #expect(list.count == 1 && list.owner(of: first.publicKey) == "one" && list.owner(of: second.publicKey) == nil)
        try FileManager.default.copyItem(atPath: two.public, toPath: keys.path(of: "two.pub"))
        #expect(list.owner(of: second.publicKey) == "two")
        try FileManager.default.removeItem(atPath: keys.path(of: "one.pub"))
        #expect(list.owner(of: first.publicKey) == nil)
        // Half a file lets nobody in and keeps nobody else out.
        try Data("role = wor".utf8).write(to: URL(fileURLWithPath: keys.path(of: "half.pub")))
        #expect(list.owner(of: second.publicKey) == "two" && list.owner(of: "") == nil)
        #expect(throws: KeyError.self) { try AllowList(path: keys.path, role: .worker) }
        #expect(throws: KeyError.self) { try AllowList(path: keys.path(of: "two.pub"), role: .client) }
        #expect(throws: KeyError.self) { try AllowList(path: keys.path(of: "missing"), role: .worker) }
        #expect(try AllowList(path: keys.path(of: "two.pub"), role: .worker).owner(of: second.publicKey) == "two")
    }
}
