#!/usr/bin/env python3
"""Drives ink-film as a worker and a broker do: starts its verbs, hands them descriptors and messages (docs/films.md).

    drive.py mark SOURCE OUTPUT [--codec h264] [--format mp4] [--mark X,Y,W,H] ...    one film
    drive.py probe SOURCE                                                            what it says of a film
"""
import argparse, hashlib, json, os, socket, struct, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

SETTINGS, HEADER, MARK, ROWS, BLOCK, END, BYTES, FRAME, CODEC = range(1, 10)
ASK_BYTES, ASK_BLOCK, ASK_FRAME, FILM, PIECE, PROGRESS, WARNING, FAILURE, LEAD_IN, DONE = range(33, 43)
PICTURES, REST = 0, 1
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1

PROGRAM = os.environ.get("INK_FILM", os.path.join(os.path.dirname(__file__), "../../.build/release/ink-film"))


class Failure(Exception):
    def __init__(self, code, text, cause=""):
        super().__init__(text)
        self.code, self.text, self.cause = code, text, cause


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def bytes(self):
        size = self.number("I")
        self.at += size
        return self.data[self.at - size:self.at]

    def text(self):
        return self.bytes().decode("utf-8", "replace")


class Process:
    """One verb: sends the settings, then yields what comes back."""

    def __init__(self, verb, settings, descriptors):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        wanted = {3: theirs.fileno(), **descriptors}

        def place():
            held = {number: os.dup(fd) for number, fd in wanted.items()}
            high = {number: os.dup2(fd, 100 + number) for number, fd in held.items()}
            for number in high:
                os.dup2(100 + number, number)
            os.closerange(max(wanted) + 1, 200)

        self.child = subprocess.Popen([PROGRAM, verb], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, preexec_fn=place, close_fds=False)
        theirs.close()
        self.socket = ours
        body = struct.pack("<I", len(settings))
        for key, value in settings.items():
            for text in (key, str(value)):
                body += struct.pack("<I", len(text.encode())) + text.encode()
        self.send(SETTINGS, body)

    def send(self, kind, body=b""):
        try:
            self.socket.sendall(struct.pack("<II", kind, len(body)))
            self.socket.sendall(body)
        except OSError:
            pass  # it has ended, and said why, or died

    def read(self, size):
        data = bytearray()
        while len(data) < size:
            got = self.socket.recv(size - len(data))
            if not got:
                return None
            data += got
        return bytes(data)

    def messages(self):
        try:
            while True:
                try:
                    head = self.read(8)
                    if head is None:
                        break
                    kind, size = struct.unpack("<II", head)
                    body = self.read(size)
                except OSError:
                    break
                if body is None:
                    break
                if kind == FAILURE:
                    r = Reader(body)
                    raise Failure(r.number("I"), r.text(), r.text())
                yield kind, body
                if kind in (DONE, LEAD_IN):
                    return
            self.child.wait()
            raise Failure(65, "reading it crashes (%d) %s" % (self.child.returncode, self.child.stderr.read()[-500:]))
        finally:
            self.socket.close()
            try:
                self.child.wait(20)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
            self.child.stderr.close()


def read_film(body):
    r = Reader(body)
    names = ["container", "sourceCodec", "pixelFormat", "codec", "format", "outFormat"]
    film = {name: r.text() for name in names}
    for name in ["width", "height", "outWidth", "outHeight", "aspectN", "aspectD", "turns", "mirrored", "interlaced",
                 "clockN", "clockD", "rateN", "rateD"]:
        film[name] = r.number("I")
    for name in ["frames", "first", "span", "bytes", "bitrate", "memory"]:
        film[name] = r.number("q")
    film["ink"] = r.text()
    film["streams"] = [[r.text() for _ in range(5)] for _ in range(r.number("I"))]
    film["header"] = r.bytes()
    return film


def layout(film, mark):
    """A mark's rectangle, from the picture as it is shown to the picture as it is coded."""
    x, y, w, h = mark
    aspect = Fraction(film["aspectN"], film["aspectD"])
    W, H = film["outWidth"] * aspect, Fraction(film["outHeight"])
    turns = film["turns"]
    # back: the player mirrors, then turns clockwise
    shown = (H, W) if turns % 2 else (W, H)
    for _ in range(turns):
        x, y, w, h = y, shown[0] - x - w, h, w
        shown = (shown[1], shown[0])
    if film["mirrored"]:
        x = W - x - w
    half = lambda v: int((v + Fraction(1, 2)).__floor__())
    return half(x / aspect), half(Fraction(y)), max(1, half(w / aspect)), max(1, half(Fraction(h)))


def picture_of_mark(w, h):
    """Stripes of white and a deep blue, more than half opaque."""
    rows = bytearray()
    for y in range(h):
        for x in range(w):
            rows += bytes((255, 255, 255, 220)) if (x // 4 + y // 4) % 2 else bytes((20, 30, 160, 200))
    return bytes(rows)


def ask_bytes(process, path, body):
    r = Reader(body)
    offset, size = r.number("Q"), r.number("I")
    with open(path, "rb") as file:
        file.seek(offset)
        process.send(BYTES, file.read(size))


def cut(path, options, verb="cut"):
    settings = {k: options[k] for k in ("format", "codec", "audio", "chroma", "fallback", "width", "height", "effort",
                                        "piece-seconds", "memory", "cpu", "sandbox") if k in options}
    source = open(path, "rb")
    settings["size"] = os.fstat(source.fileno()).st_size
    descriptors = {}
    if options.get("requests"):
        settings["input"] = "requests"
    else:
        descriptors[4] = source.fileno()
    process = Process(verb, settings, descriptors)
    result = {"film": None, "pieces": [], "blocks": {PICTURES: [], REST: []}, "warnings": []}
    try:
        for kind, body in process.messages():
            r = Reader(body)
            if kind == ASK_BYTES:
                ask_bytes(process, path, body)
            elif kind == BLOCK:
                which, _, first, count = r.number("B"), r.number("B"), r.number("Q"), r.number("I")
                if count:
                    result["blocks"][which].append((first, first + count, body))
            elif kind == FILM:
                result["film"] = read_film(body)
            elif kind == PIECE:
                result["pieces"].append(dict(zip(("number", "start", "end", "from", "to", "frames"),
                                                 [r.number("I"), r.number("q"), r.number("q")] + [r.number("Q")
                                                     for _ in range(3)])))
            elif kind == WARNING:
                result["warnings"].append((r.text(), r.text()))
    finally:
        source.close()
    return result


def run_piece(cutting, piece, options, marks, lead=0):
    """Packets of one piece. `lead`: how many cut points before it decoding begins."""
    film, pieces = cutting["film"], cutting["pieces"]
    # A lead-in begins at the cut point that lies `lead` different ones before.
    starts = sorted({p["from"] for p in pieces})
    at = starts.index(piece["from"])
    last = lead > 0 and at - lead <= 0
    begin = starts[max(0, at - lead)]
    settings = {"memory": film["memory"], "start": piece["start"], "end": piece["end"], "from": begin,
        "to": piece["to"],
                "frames": piece["frames"], "last-try": int(last)}
    for key in ("effort", "crf", "measure", "cpu", "sandbox"):
        if key in options:
            settings[key] = options[key]
    process = Process("piece", settings, {})
    process.send(HEADER, film["header"])
    for x, y, w, h, rgba in marks:
        process.send(MARK, struct.pack("<iiII", x, y, w, h))
        for i in range(0, len(rgba), 1 << 20):
            process.send(ROWS, rgba[i:i + (1 << 20)])
    process.send(END)
    blocks = iter([b for b in cutting["blocks"][PICTURES] if b[1] > begin and b[0] < piece["to"]])
    packets, done, warnings = [], None, []
    for kind, body in process.messages():
        r = Reader(body)
        if kind == ASK_BLOCK:
            block = next(blocks, None)
            process.send(BLOCK, block[2]) if block else process.send(END)
        elif kind == BLOCK:
            packets.append(body)
        elif kind == WARNING:
            warnings.append((r.text(), r.text()))
        elif kind == LEAD_IN:
            if last:
                raise Failure(70, "a piece asks for more than the film's start")
            return run_piece(cutting, piece, options, marks, lead * 2 if lead else 1)
        elif kind == DONE:
            names = ("frames", "first", "last", "bytes", "damaged", "damageMs", "decode", "mark", "encode")
            done = {name: r.number("q") for name in names}
            done["codec"] = r.bytes()
            done["lead"] = lead
    return packets, done, warnings


def join(cutting, results, output, options):
    codecs = {done["codec"] for _, done, _ in results if done["frames"]}
    if len(codecs) > 1:
        raise Failure(70, "the pieces have different headers")
    if not codecs:
        raise Failure(65, "no frame can be decoded")
    hidden = output + ".part"
    file = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        settings = {"pieces": len(results), "ink": options.get("ink", "digest"), "memory": 1 << 30}
        if "sandbox" in options:
            settings["sandbox"] = options["sandbox"]
        process = Process("join", settings, {5: file})
        process.send(HEADER, cutting["film"]["header"])
        process.send(CODEC, codecs.pop())
        process.send(END)
        waiting = {PICTURES: iter([b for packets, done, _ in results if done["frames"] for b in packets]),
                   REST: iter([b[2] for b in cutting["blocks"][REST]])}
        for kind, body in process.messages():
            if kind == ASK_BLOCK:
                block = next(waiting[body[0]], None)
                process.send(BLOCK, block) if block is not None else process.send(END)
        os.rename(hidden, output)
    finally:
        os.close(file)
        if os.path.exists(hidden):
            os.unlink(hidden)


def choose_crf(cutting, options, marks):
    """Section 6: bytes of up to 24 pieces at two CRFs, taken as exponential between them."""
    film, pieces = cutting["film"], cutting["pieces"]
    seconds = film["span"] * film["clockN"] / film["clockD"]
    rate = Fraction(film["rateN"], film["rateD"]) if film["rateD"] and film["rateN"] else 25
    share = {"h264": Fraction(8, 100), "hevc": Fraction(6, 100), "av1": Fraction(5, 100)}[film["codec"]]
    target = float(share * film["outWidth"] * film["outHeight"] * rate)
    source = film["bitrate"] or (film["bytes"] * 8 / seconds if seconds else target)
    target = min(target, source) if options.get("bitrate", "auto") == "auto" else float(options["bitrate"])
    low, high = (25, 50) if film["codec"] == "av1" else (20, 32)
    count = min(24, len(pieces))
    chosen = [pieces[i * len(pieces) // count] for i in range(count)]
    frames = sum(p["frames"] for p in chosen) or 1
    sizes = {}
    for crf in (low, high):
        measured = {**options, "effort": "fast", "crf": crf, "measure": 1}
        with ThreadPoolExecutor(options.get("processes", 1)) as pool:
            sizes[crf] = sum(r[1]["bytes"] for r in pool.map(lambda p: run_piece(cutting, p, measured, marks), chosen))
    # bytes of the whole, as those of the pieces that were measured
    wanted = target / 8 * seconds * frames / max(1, film["frames"])
    a, b = max(1, sizes[low] * 1.15), max(1, sizes[high] * 1.15)
    import math
    slope = (math.log(b) - math.log(a)) / (high - low)
    crf = low if slope >= 0 else low + (math.log(max(1, wanted)) - math.log(a)) / slope
    best = {"h264": 42 - 0.275 * 88, "hevc": 44 - 0.275 * 88, "av1": 62 - 0.4 * 88}[film["codec"]]
    most = 63 if film["codec"] == "av1" else 51
    return round(min(most, max(best, crf)), 1), target, {"sizes": sizes, "slope": slope, "seconds": seconds}


def mark_film(source, output, options):
    cutting = cut(source, options)
    film = cutting["film"]
    marks = []
    for mark in options.get("marks", []):
        x, y, w, h = layout(film, mark)
        marks.append((x, y, w, h, options["rgba"](w, h) if "rgba" in options else picture_of_mark(w, h)))
    options = dict(options)
    report = {"pieces": len(cutting["pieces"]), "warnings": cutting["warnings"], "marks": [m[:4] for m in marks]}
    if "crf" not in options:
        options["crf"], report["target"], more = choose_crf(cutting, options, marks)
    encode = lambda p: run_piece(cutting, p, options, marks)
    with ThreadPoolExecutor(options.get("processes", 1)) as pool:
        results = list(pool.map(encode, cutting["pieces"]))
    if "target" in report:
        rate = lambda: sum(r[1]["bytes"] for r in results) * 8 / max(more["seconds"], 1e-9)
        if rate() > 1.1 * report["target"] and more["slope"] < 0:
            import math
            again = options["crf"] + math.log(report["target"] / rate()) / more["slope"]
            options["crf"] = round(min(63 if film["codec"] == "av1" else 51, again), 1)
            with ThreadPoolExecutor(options.get("processes", 1)) as pool:
                results = list(pool.map(encode, cutting["pieces"]))
            report["again"] = True
        report["bitrate"] = rate()
    join(cutting, results, output, options)
    report["crf"] = options["crf"]
    for name in ("frames", "decode", "mark", "encode", "damaged"):
        report[name] = sum(done[name] for _, done, _ in results)
    report["leads"] = [done["lead"] for _, done, _ in results]
    report["warnings"] += [w for _, _, ws in results for w in ws]
    report["sha256"] = hashlib.sha256(open(output, "rb").read()).hexdigest()
    report["codec"], report["format"] = film["codec"], film["format"]
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["mark", "probe"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--mark", default="16,16,64,24")
    for name in ("codec", "format", "audio", "chroma", "effort", "crf", "bitrate", "piece-seconds", "sandbox", "width",
        "height"):
        parser.add_argument("--" + name)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--requests", action="store_true")
    o = vars(parser.parse_args())
    options = {k.replace("_", "-"): v for k, v in o.items() if v is not None and k not in ("verb", "paths", "mark")}
    try:
        if o["verb"] == "probe":
            found = cut(o["paths"][0], options, "probe")
            found["film"].pop("header")
            print(json.dumps({"film": found["film"], "warnings": found["warnings"]}, indent=1))
        else:
            options["marks"] = [[int(v) for v in o["mark"].split(",")]]
            print(json.dumps(mark_film(*o["paths"], options), indent=1))
    except Failure as failure:
        print("%s\n%s" % (failure.text, failure.cause), file=sys.stderr)
        return failure.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
