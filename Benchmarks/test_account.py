"""Checks that the account of threads knows each thread that the program starts."""
import pathlib
import re
import unittest

import account

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"
STARTED = re.compile(r'(?:PosixThread|Lane|LaneGroup|try start)\(\s*(?:create: )?"([^"]*)"')


class Threads(unittest.TestCase):
    def test_each_has_a_side(self):
        names = {name for path in SOURCES.rglob("*.swift") for name in STARTED.findall(path.read_text())}
        self.assertGreater(len(names), 30)
        for name in names:
            self.assertLessEqual(len(name.encode()), 15, name)
            self.assertEqual(account.side_of(name, "broker"), "broker")

    def test_an_unknown_one_is_an_error(self):
        with self.assertRaises(SystemExit):
            account.side_of("surprise", "whole")

    def test_sides_go_by_name_in_one_process_only(self):
        self.assertEqual(account.side_of("render", "whole"), "workers")
        self.assertEqual(account.side_of("ZMQbg/IO/0", "whole"), "broker")
        self.assertEqual(account.side_of("ZMQbg/IO/0", "workers"), "workers")

    def test_shares_are_of_everything(self):
        found = account.account([("whole", {"broker": 0.01, "render": 0.06, "main": 0.02}, 0.1)], 2)
        self.assertAlmostEqual(found["brokerShare"], 0.1)
        self.assertAlmostEqual(found["restMs"], 5)
        self.assertAlmostEqual(found["sidesMs"]["workers"], 30)


if __name__ == "__main__":
    unittest.main()
