import Foundation
import Testing

@Suite("Pictures for zooming", .timeLimit(.minutes(5)))
struct ZoomPictureTests {
    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// All files in a folder, by their paths in it.
    private func tree(_ path: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
            if !isFolder.boolValue { files[name] = try bytes("\(path)/\(name)") }
        }
        return files
    }

    @Test("A picture is the same archive and folders however it is cut, here and through a broker")
    func sameFiles() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        let farm = try FarmProcesses(workers: 1)
        func export(_ output: String, _ options: [String]) throws -> [String: [UInt8]] {
            let result = try InkProcess.run(
                ["export", project, "--size", "1300x1300", "-o", folder("\(output)/")]
                    + ["--name", "wall.{ext}", "--no-metadata"]
                    + (options.contains("--format") ? [] : ["--format", "szi,dzi,iiif"]) + options)
            #expect(result.code == 0, "\(output): \(result.error)")
            return try tree(folder(output))
        }
        let here = try export("here", [])
        #expect(here["wall.szi"] != nil && here["wall.dzi"] != nil && here["wall.iiif/info.json"] != nil)
        // 1300: 6x6, 3x3, 2x2 and one for each further level down to one pixel.
        #expect(here.keys.filter { $0.hasPrefix("wall_files/11/") }.count == 36)
        #expect(here.keys.filter { $0.hasPrefix("wall_files/") }.count == 36 + 9 + 4 + 9)
        #expect(here.keys.filter { $0.hasPrefix("wall.iiif/") }.count == 36 + 9 + 4 + 1 + 1 + 1)
        #expect(here["wall.iiif/full/max/0/default.jpg"] != nil)
        #expect(String(decoding: here["wall.iiif/info.json"] ?? [], as: UTF8.self).contains("\"id\": \"wall.iiif\""))
        for (name, options) in [
            ("tiles", ["--tile", "300x90"]), ("rows", ["--tile", "1300x600"]), ("one", ["-j", "1"]),
            ("there", ["--broker", farm.endpoint]),
        ] {
            let other = try export(name, options)
            #expect(Set(other.keys) == Set(here.keys), "\(name)")
            for (file, content) in here { #expect(other[file] == content, "\(name): \(file)") }
        }
        // One worker makes the tiles that overlap.
        let overlapping = ["--format", "szi,dzi,png", "--tile-overlap", "1"]
        let alone = try export("overlap", overlapping)
        #expect(String(decoding: alone["wall.dzi"] ?? [], as: UTF8.self).contains("Overlap=\"1\""))
        #expect(alone.keys.filter { $0.hasPrefix("wall_files/") }.count == 36 + 9 + 4 + 9)
        // The bands of a PNG follow the tiles.
        let there = try export("overlap-there", overlapping + ["--broker", farm.endpoint, "--tile", "300x90"])
        #expect(there.filter { $0.key != "wall.png" } == alone.filter { $0.key != "wall.png" })
        // Beside other formats, and alone.
        let result = try InkProcess.run(
            ["export", project, "--format", "png,webp,szi", "--size", "1300x1300", "-o", folder("more/")]
                + ["--name", "wall.{ext}", "--no-metadata"])
        #expect(result.code == 0, "\(result.error)")
        #expect(try bytes(folder("more/wall.szi")) == here["wall.szi"])
        let single = try InkProcess.run(
            ["export", project, "-o", folder("wall.dzi"), "--size", "1300x1300", "--no-metadata"])
        #expect(single.code == 0, "\(single.error)")
        #expect(try tree(folder("wall_files")).count == 58)
        #expect(
            folder.files.sorted() == [
                "a.ink", "here", "more", "one", "overlap", "overlap-there", "rows", "there", "tiles", "wall.dzi",
                "wall_files",
            ])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("here")).count == 4)
    }

    @Test("Every door makes the same folders, and HTTP gives their files one by one")
    func doors() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("wall.ink", GoodProject.long)
        let output = try EndToEndFolder()
        let farm = try FarmProcesses(
            workers: 1, brokerOptions: ["--http", "127.0.0.1:0", "--output-root", output.path])
        let options = [project, "--size", "600x600", "--format", "dzi,iiif", "--no-metadata"]
        let local = try InkProcess.run(["export"] + options + ["-o", folder("here/")])
        #expect(local.code == 0, "\(local.error)")
        let here = try tree(folder("here"))
        #expect(here["wall-600x600.dzi"] != nil && here["wall-600x600.iiif/info.json"] != nil)
        // By the client, and by the broker.
        for (name, more) in [("kept", []), ("written", ["--into", "deep"])] {
            let submitted = try InkProcess.run(["submit"] + options + ["--broker", farm.endpoint, "-q"] + more)
            #expect(submitted.code == 0, "\(submitted.error)")
            let jobs = submitted.output.split(separator: "\n").map(String.init)
            let waited = try InkProcess.run(["wait"] + jobs + ["--broker", farm.endpoint, "-o", folder(name)])
            #expect(waited.code == 0, "\(waited.error)")
            #expect(try tree(name == "kept" ? folder(name) : output("deep")) == here, "\(name)")
            // A second time, in the place of the first; nothing of somebody else is.
            guard name == "kept" else { continue }
            try Data("dear".utf8).write(to: URL(fileURLWithPath: folder("kept/wall-600x600.iiif/letters.txt")))
            let again = try InkProcess.run(["wait"] + jobs + ["--broker", farm.endpoint, "-o", folder(name)])
            #expect(again.code == 74 && again.error.contains("letters.txt"), "\(again.error)")
            #expect(try bytes(folder("kept/wall-600x600.iiif/letters.txt")) == Array("dear".utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == ["deep"])
        // A link does not lead out of the broker's root, whichever of the picture's names it has.
        for (name, format) in [("deep/out_files", "dzi"), ("deep/out.iiif", "iiif")] {
            try FileManager.default.createSymbolicLink(
                atPath: output(name), withDestinationPath: folder("outside"))
            let submitted = try InkProcess.run([
                "submit", project, "--size", "64x64", "--format", format, "--name", "out.{ext}", "--into", "deep",
                "--broker", farm.endpoint, "-q",
            ])
            let jobs = submitted.output.split(separator: "\n").map(String.init)
            let waited = try InkProcess.run(["wait"] + jobs + ["--broker", farm.endpoint])
            #expect(waited.code == 65 && waited.error.contains("output root"), "\(waited.error)")
            #expect(!folder.files.contains("outside"))
        }
        // By HTTP.
        let http = try farm.http()
        let jobs = try http.submit(
            GoodProject.long, "name=wall.ink&size=600x600&format=dzi,iiif&no-metadata=true"
        ).1
        #expect(jobs.count == 2)
        var found: [String: [UInt8]] = [:]
        for (job, format) in zip(jobs, ["dzi", "iiif"]) {
            #expect(try http.end(of: job) == "finished")
            let place = "/v1/jobs/\(job)/picture"
            let whole = try http.get(place + "?download=true")
            #expect(whole.status == 200 && whole.headers["content-type"] == "application/zip")
            #expect(whole.headers["content-disposition"]?.contains("\"wall-600x600.\(format).zip\"") == true)
            #expect(whole.body.starts(with: Array("PK".utf8)))
            let facts = try http.job(job)
            #expect(facts["file"] as? String == "wall-600x600.\(format)")
            #expect((facts["picture"] as? [String: Any])?["mediaType"] as? String == "application/zip")
            for name in here.keys where name.contains(".iiif/") == (format == "iiif") {
                let inside = name.replacingOccurrences(of: "wall-600x600.iiif/", with: "")
                let answer = try http.get("\(place)/\(inside)")
                #expect(answer.status == 200 && answer.headers["etag"] == whole.headers["etag"], "\(inside)")
                let types = ["jpg": "image/jpeg", "dzi": "application/xml", "json": "application/ld+json"]
                let type = types[String(inside.split(separator: ".").last ?? "")] ?? ""
                #expect(answer.headers["content-type"]?.hasPrefix(type) == true, "\(inside)")
                found[name] = answer.body
            }
            let tile = format == "dzi" ? "wall-600x600_files/10/0_0.jpg" : "full/max/0/default.jpg"
            let tag = whole.headers["etag"] ?? ""
            let part = try http.get("\(place)/\(tile)", ["Range": "bytes=2-5"])
            #expect(
                part.status == 206
                    && part.body == Array((found[format == "dzi" ? tile : "wall-600x600.iiif/\(tile)"] ?? [])[2...5]))
            #expect(try http.get("\(place)/\(tile)", ["If-None-Match": tag]).status == 304)
            #expect(try http.get("\(place)/\(tile)", ["If-Match": "\"x\""]).status == 412)
            for wrong in [
                "", "..", "../picture", "%2e%2e%2finfo.json", "image/info.json", "other_files/10/0_0.jpg", "info.json/",
                "wall-600x600_files/10/0_9.jpg", "wall-600x600_files", "wall-600x600_files/10//0_0.jpg",
            ] {
                #expect(try http.get("\(place)/\(wrong)", ["If-None-Match": tag]).status == 404, "\(wrong)")
            }
        }
        let description = String(decoding: found["wall-600x600.iiif/info.json"] ?? [], as: UTF8.self)
        let id = "http://127.0.0.1:\(http.port)/v1/jobs/\(jobs[1])/picture"
        #expect(description.contains("\"id\": \"\(id)\""), "\(description)")
        found["wall-600x600.iiif/info.json"] = Array(
            description.replacingOccurrences(of: id, with: "wall-600x600.iiif").utf8)
        #expect(found == here)
        // There is no such file in a picture of another kind.
        let plain = try http.submit(GoodProject.small, "name=a.ink&size=64x64").1[0]
        #expect(try http.end(of: plain) == "finished")
        #expect(try http.get("/v1/jobs/\(plain)/picture/info.json").status == 404)
    }

    @Test("A broker that is killed leaves the old folder or the new one, and makes the new one in its next life")
    func killed() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("wall.ink", GoodProject.long)
        let output = try EndToEndFolder()
        let farm = try FarmProcesses(workers: 2, brokerOptions: ["--output-root", output.path])
        func made(_ size: String) throws -> [String: [UInt8]] {
            let options = ["export", project, "--size", size, "--name", "{name}.{ext}", "--format", "dzi,iiif"]
            #expect(try InkProcess.run(options + ["--no-metadata", "-o", folder(size)]).code == 0)
            return try tree(folder(size))
        }
        let sizes = ["900x900", "1300x1300"]
        let pictures = try sizes.map(made)
        for round in 0..<6 {
            let size = sizes[round % 2]
            let submitted = try InkProcess.run([
                "submit", project, "--size", size, "--name", "{name}.{ext}", "--format", "dzi,iiif", "--no-metadata",
                "--into", ".", "--broker", farm.endpoint, "-q",
            ])
            #expect(submitted.code == 0, "\(submitted.error)")
            usleep(UInt32(round) * 60_000)
            farm.broker?.kill9()
            for ending in ["dzi", "iiif"] {
                let mark = ending == "dzi" ? "wall_files/" : "wall.iiif/"
                let there = try tree(output.path).filter { $0.key.hasPrefix(mark) }
                let wanted = pictures.map { $0.filter { $0.key.hasPrefix(mark) } }
                #expect(there.isEmpty || wanted.contains(there), "round \(round): \(there.keys.sorted())")
            }
            try farm.startBroker()
            let jobs = submitted.output.split(separator: "\n").map(String.init)
            let waited = try InkProcess.run(["wait"] + jobs + ["--no-fetch", "--broker", farm.endpoint])
            #expect(waited.code == 0, "\(waited.error)")
            #expect(try tree(output.path) == pictures[round % 2], "round \(round)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: output.path).sorted()
                    == ["wall.dzi", "wall.iiif", "wall_files"])
        }
    }

    @Test(
        "A picture that shows the same is left, one that is damaged is made again", arguments: ["szi", "dzi", "iiif"])
    func unchanged(format: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        func export(_ options: [String]) throws -> InkProcess.Result {
            try InkProcess.run(
                ["export", project, "-o", folder("out/"), "--name", "a.{ext}", "--format", format] + options)
        }
        let skip = ["--if-exists", "skip-unchanged"]
        #expect(try export(skip).output.contains("1 exported"))
        let first = try tree(folder("out"))
        #expect(try export(skip).output.contains("1 unchanged"))
        let victim = try #require(first.keys.sorted().first { $0.hasSuffix(".jpg") || $0.hasSuffix(".szi") })
        try Data((first[victim] ?? []).dropLast()).write(to: URL(fileURLWithPath: folder("out/\(victim)")))
        #expect(try export(skip).output.contains("1 exported"))
        #expect(try tree(folder("out")) == first)
        // Another picture takes the place of all of it.
        #expect(try export(["--size", "300", "--if-exists", "overwrite"]).code == 0)
        #expect(try tree(folder("out")).count == (format == "szi" ? 1 : format == "dzi" ? 12 : 5))
        let refused = try export(["--if-exists", "fail"])
        #expect(refused.code == 74 && refused.error.contains("already exists"), "\(refused.error)")
        #expect(try export(["--if-exists", "suffix"]).code == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder("out")).sorted()
        #expect(
            names
                == (format == "dzi" ? ["a-1.dzi", "a-1_files", "a.dzi", "a_files"] : ["a-1.\(format)", "a.\(format)"]))
    }

    @Test("A folder that holds something else is not replaced, and what fails leaves nothing")
    func refusals() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        for (output, kept) in [("a.iiif", "a.iiif/letters.txt"), ("a.dzi", "a_files/letters.txt")] {
            let file = URL(fileURLWithPath: folder(kept))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("dear".utf8).write(to: file)
            let result = try InkProcess.run(["export", project, "-o", folder(output), "--if-exists", "overwrite"])
            #expect(result.code == 74, "\(result.code) \(result.error)")
            #expect(try bytes(folder(kept)) == Array("dear".utf8))
        }
        #expect(folder.files.sorted() == ["a.iiif", "a.ink", "a_files"])
        // Nor is one of ours that holds something of somebody else too; no other file of the picture is made then.
        for (output, kept) in [("c.iiif", "c.iiif/full/letters.txt"), ("c.dzi", "c_files/0/0_0.psd")] {
            #expect(try InkProcess.run(["export", project, "-o", folder(output)]).code == 0)
            try Data("dear".utf8).write(to: URL(fileURLWithPath: folder(kept)))
            let result = try InkProcess.run([
                "export", project, "-o", folder("."), "--name", "c.{ext}", "--format",
                "png,\(output.split(separator: ".")[1])", "--if-exists", "overwrite",
            ])
            let file = try #require(kept.split(separator: "/").last)
            #expect(result.code == 74 && result.error.contains(file), "\(result.error)")
            #expect(try bytes(folder(kept)) == Array("dear".utf8))
            #expect(!folder.files.contains("c.png"))
        }
        // Nor where the description cannot get its name.
        try FileManager.default.createDirectory(atPath: folder("e.dzi"), withIntermediateDirectories: true)
        let mixed = try InkProcess.run([
            "export", project, "-o", folder("."), "--name", "e.{ext}", "--format", "png,dzi", "--if-exists",
            "overwrite",
        ])
        #expect(mixed.code == 74 && mixed.error.contains("e.dzi"), "\(mixed.output)\(mixed.error)")
        #expect(!folder.files.contains { $0.hasPrefix("e") && $0 != "e.dzi" && $0 != "elsewhere" })
        try FileManager.default.removeItem(atPath: folder("e.dzi"))
        // A link to such a folder stays one.
        try FileManager.default.createDirectory(atPath: folder("elsewhere"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder("d.iiif"), withDestinationPath: folder("elsewhere"))
        let linked = try InkProcess.run(["export", project, "-o", folder("d.iiif"), "--if-exists", "overwrite"])
        #expect(linked.code == 0, "\(linked.error)")
        #expect(try bytes(folder("elsewhere/info.json")).isEmpty == false)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("d.iiif")) == folder("elsewhere"))
        for name in ["c.iiif", "c.dzi", "c_files", "d.iiif", "elsewhere"] {
            try FileManager.default.removeItem(atPath: folder(name))
        }
        for (options, word) in [
            (["-o", folder("b.png"), "--tile-size", "256"], "--tile-size"),
            (["-o", folder("b.szi"), "--tile-size", "300"], "128, 256 or 512"),
            (["-o", folder("b.iiif"), "--tile-overlap", "1"], "--tile-overlap"),
            (["-o", folder("b.szi"), "--tile-overlap", "2"], "0 or 1"),
            (["-o", folder("b.szi"), "--progressive"], "--progressive"),
        ] {
            let result = try InkProcess.run(["export", project] + options)
            #expect(result.code == 64 && result.error.contains(word), "\(options): \(result.error)")
        }
        let overlapping = try InkProcess.run(
            ["export", project, "-o", folder("b.szi"), "--size", "30000x30000", "--tile-overlap", "1"])
        #expect(overlapping.code == 65 && overlapping.error.contains("--tile-overlap"), "\(overlapping.error)")
        let tooLarge = try InkProcess.run(["export", project, "-o", folder("b.szi"), "--size", "65537x65537"])
        #expect(tooLarge.code == 64 && tooLarge.error.contains("65536"), "\(tooLarge.error)")
        let lossless = try InkProcess.run([
            "export", project, "-o", folder("b.szi"), "--lossless", "--tile-size", "512",
        ])
        #expect(lossless.code == 0, "\(lossless.error)")
    }
}
