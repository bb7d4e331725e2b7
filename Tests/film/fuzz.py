#!/usr/bin/env python3
"""Sends damaged films and damaged messages through ink-film: fuzz.py CLIPS SECONDS [FIRST SEED]

Films: bytes flipped, ranges moved, copied, cleared or cut off, through probe or cut, then their pieces. Messages: what cut
has said of a sound film, damaged in the same ways, as headers and blocks of piece and join. Each run is a fresh process,
which may end with one of ink's codes, and neither by a signal nor after 30 s of the processor. Prints how many ran, by verb and end.
"""
import collections, os, random, signal, struct, sys, tempfile, threading, time

sys.path.insert(0, os.path.dirname(__file__))
import drive

CODES = {0, 64, 65, 70, 71, 72, 74}


# Pictures too large for many runs.
LARGE = ("real-editlist-shift.mp4", "real-mvhevc.mov")


def damage(data, r):
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 5, 20))):
        if not data:
            break
        at, length = r.randrange(len(data)), r.choice((1, 1, 2, 4, 64, 1000))
        # Bytes that are taken out move all that follows, which most films do not survive: seldom.
        kind = r.choice((0, 0, 1, 2, 2, 3)) if r.randrange(10) else r.choice((4, 5))
        if kind == 0:
            data[at] ^= 1 << r.randrange(8)
        elif kind == 1:
            data[at:at + length] = bytes(r.randrange(256) for _ in range(min(length, len(data) - at)))
        elif kind == 2:
            data[at:at + 4] = struct.pack(r.choice("<>") + "I", r.choice((0, 1, 255, 65535, 1 << 31, (1 << 32) - 1)))
        elif kind == 3:
            to = r.randrange(len(data))
            data[to:to + length] = data[at:at + length]
        elif kind == 4:
            del data[at:at + length]
        elif r.randrange(8) == 0:
            del data[at:]
    return bytes(data)


class Fuzzer:
    def __init__(self, clips):
        self.counts, self.texts = collections.Counter(), collections.Counter()
        self.faults = []
        self.clips = clips
        started = drive.Process.__init__

        # Ends what hangs; its end by a signal is then a fault.
        def start(process, verb, settings, descriptors):
            started(process, verb, {**settings, "cpu": 30}, descriptors)
            process.verb = verb
            process.timer = threading.Timer(300, process.child.kill)
            process.timer.daemon = True
            process.timer.start()
            self.running.append(process)

        drive.Process.__init__ = start
        self.running = []

    def settle(self, label):
        for process in self.running:
            process.child.wait()
            process.timer.cancel()
            code = process.child.returncode
            self.counts[process.verb, code] += 1
            if code not in CODES:
                self.faults.append((label, process.verb, code))
                print("FAULT", label, process.verb, code, flush=True)
        self.running = []

    def film(self, name, r, label):
        data = damage(open(os.path.join(self.clips, name), "rb").read(), r)
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            options = {"codec": r.choice(("h264", "h264", "hevc", "av1")), "format": r.choice(("mp4", "mkv")), "effort": "fast",
                       "crf": 40, "piece-seconds": 1, "audio": r.choice(("copy", "aac"))}
            try:
                if r.randrange(4) == 0:
                    drive.cut(file.name, options, "probe")
                else:
                    drive.mark_film(file.name, file.name + ".out", {**options, "marks": [[4, 4, 24, 16]]})
            except drive.Failure as failure:
                self.texts[failure.code, failure.text.split(":")[0][:60]] += 1
            if os.path.exists(file.name + ".out"):
                os.unlink(file.name + ".out")
        self.settle(label)

    def messages(self, name, r, label):
        options = {"codec": "h264", "format": r.choice(("mp4", "mkv")), "effort": "fast", "crf": 40, "piece-seconds": 1}
        path = os.path.join(self.clips, name)
        try:
            cutting = drive.cut(path, options)
            result = drive.run_piece(cutting, cutting["pieces"][0], options, [])
        except drive.Failure:
            return self.settle(label)
        which = r.randrange(4)
        if which == 0:
            cutting["film"]["header"] = damage(cutting["film"]["header"], r)
        blocks = cutting["blocks"][REST if which == 1 else drive.PICTURES]
        if which < 3 and which > 0 and blocks:
            i = r.randrange(len(blocks))
            blocks[i] = (*blocks[i][:2], damage(blocks[i][2], r))
        packets, done, warnings = result
        if which == 3 and packets:
            packets[0] = damage(packets[0], r)
            done["codec"] = damage(done["codec"], r) if r.randrange(2) else done["codec"]
        with tempfile.TemporaryDirectory() as folder:
            for step in (lambda: drive.run_piece(cutting, cutting["pieces"][-1], options, []),
                         lambda: drive.join(cutting, [(packets, done, warnings)], os.path.join(folder, "o"), options)):
                try:
                    step()
                except drive.Failure as failure:
                    self.texts[failure.code, failure.text.split(":")[0][:60]] += 1
        self.settle(label)


REST = drive.REST


def main():
    clips, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    names = [n for n in sorted(os.listdir(clips)) if n not in LARGE and os.path.getsize(os.path.join(clips, n)) < 200000]
    fuzzer, end = Fuzzer(clips), time.time() + seconds
    while time.time() < end:
        r = random.Random(seed)
        name = names[(seed * 7) % len(names)]
        (fuzzer.messages if seed % 4 == 3 else fuzzer.film)(name, r, "seed %d %s" % (seed, name))
        seed += 1
    for (verb, code), count in sorted(fuzzer.counts.items()):
        print("%-6s %4d: %d" % (verb, code, count))
    for (code, text), count in fuzzer.texts.most_common(40):
        print("%5d times %d %s" % (count, code, text))
    print("%d processes, next seed %d, %d faults" % (sum(fuzzer.counts.values()), seed, len(fuzzer.faults)))
    return 1 if fuzzer.faults else 0


if __name__ == "__main__":
    sys.exit(main())
