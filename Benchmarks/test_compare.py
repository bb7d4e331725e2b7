"""Tests of what compare.py decides: Benchmarks/compare.py --self-test"""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import compare
import rates


def noisy(generator, median, count=12, spread=0.05):
    """Times as a busy machine gives them: scattered, and now and then much too long."""
    return [median * generator.lognormvariate(0, spread) * (3 if generator.random() < 0.03 else 1) for _ in range(count)]


class Verdicts(unittest.TestCase):
    def words(self, slowdown, spread=0.05):
        found = []
        for seed in range(500):
            generator = random.Random(seed)
            base, head = noisy(generator, 100, spread=spread), noisy(generator, 100 * slowdown, spread=spread)
            found.append(compare.time_verdict(base, head)["verdict"])
        return found

    def test_identical_builds_are_not_slower(self):
        words = self.words(1)
        self.assertLessEqual(words.count("slower"), 2)
        self.assertLessEqual(words.count("faster"), 2)

    def test_identical_builds_with_little_noise_are_the_same(self):
        self.assertGreater(self.words(1, spread=0.01).count("same"), 400)

    def test_noise_is_called_unclear(self):
        self.assertGreater(self.words(1, spread=0.2).count("unclear"), 450)

    def test_a_slowdown_is_slower(self):
        self.assertGreater(self.words(1.25).count("slower"), 450)
        self.assertGreater(self.words(1.06, spread=0.01).count("slower"), 450)

    def test_a_speedup_is_faster(self):
        self.assertGreater(self.words(1 / 1.25).count("faster"), 450)

    def test_drift_of_the_machine_does_not_matter(self):
        base = [100 * 1.1 ** turn for turn in range(12)]
        self.assertEqual(compare.time_verdict(base, base)["verdict"], "same")
        self.assertEqual(compare.time_verdict(base, [1.05 * time for time in base])["verdict"], "slower")

    def test_an_outlier_decides_nothing(self):
        base = [100] * 12
        self.assertEqual(compare.time_verdict(base, [100] * 11 + [900])["verdict"], "same")
        self.assertEqual(compare.time_verdict(base, [110] * 11 + [50])["verdict"], "slower")

    def test_intervals_hold_the_median_as_often_as_they_say(self):
        for count in (8, 12, 20, 41):
            held = 0
            for seed in range(2000):
                generator = random.Random(seed)
                low, high = compare.median_interval([generator.random() for _ in range(count)])
                held += low <= 0.5 <= high
            # 2,000 draws of 99% fall below 98.2% once in thousands of times.
            self.assertGreater(held / 2000, 0.982)

    def test_too_few_pairs_are_refused(self):
        compare.median_interval([1] * compare.PAIRS_MIN)
        with self.assertRaises(ValueError):
            compare.median_interval([1] * (compare.PAIRS_MIN - 1))

    def test_instructions(self):
        for head, word in [(1000, "same"), (1009, "same"), (1011, "slower"), (991, "same"), (985, "faster")]:
            self.assertEqual(compare.instruction_verdict(1000, head)["verdict"], word)

    def test_more_instructions_in_less_time_are_no_regression(self):
        slower, faster, same = ({"verdict": word} for word in ("slower", "faster", "same"))
        self.assertEqual(compare.regressions({"a": faster, "b": same}, {"a": slower, "b": slower, "c": slower}), ["b", "c"])
        self.assertEqual(compare.regressions({"a": slower, "b": same}, {"a": faster}), ["a"])


class Measuring(unittest.TestCase):
    def test_pairs_take_turns(self):
        calls = []

        def build(name):
            def run():
                calls.append(name)
                return {"part": len(calls), name: 1}
            return run
        found = compare.pairs(build("base"), build("head"), 3)
        self.assertEqual(calls, ["base", "head", "head", "base", "base", "head"])
        self.assertEqual(found, {"part": ([1, 4, 5], [2, 3, 6])})

    def test_builds_that_are_run(self):
        with tempfile.TemporaryDirectory() as folder:
            def build(name, rounds):
                path = pathlib.Path(folder, name)
                path.write_text(f"import time\nt = time.process_time()\nfor _ in range({rounds}): pass\n"
                                "print('loop ms', (time.process_time() - t) * 1000)\n")
                return lambda: {"loop": rates.collect(rates.run([sys.executable, path]))["loop"][1][0]}
            base, slower = build("base", 200_000), build("slower", 600_000)
            verdict = lambda *builds: compare.time_verdict(*compare.pairs(*builds, 12)["loop"])["verdict"]
            self.assertIn(verdict(base, base), ["same", "unclear"])
            self.assertEqual(verdict(base, slower), "slower")

    def test_counts_are_read(self):
        self.assertEqual(compare.perf_count("# started\n\n1234567,,instructions:u,2000,100.00,,\n"), 1234567)
        self.assertIsNone(compare.perf_count("<not supported>,,instructions:u,0,100.00,,\n"))
        self.assertEqual(compare.callgrind_counts(["x\nsummary: 12\ntotals: 13\n", "summary: 7\n"]), [12, 7])

    def test_lines_are_collected(self):
        found = rates.summary(rates.collect("a ms 3\nb us 1.5\na ms 1\na ms 2\n"))
        self.assertEqual(found["a"], {"unit": "ms", "median": 2, "minimum": 1, "runs": [3, 1, 2]})
        self.assertEqual(found["b"]["unit"], "us")

    def test_a_failing_program_is_told(self):
        with self.assertRaises(SystemExit):
            rates.run([sys.executable, "-c", "raise SystemExit(3)"], stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
