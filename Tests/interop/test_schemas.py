"""docs/schema by two validators that are not ink's: jsonschema in Python and jsonschema-rs in Rust."""

import json
import unittest

import jsonschema
import jsonschema_rs

import support

KINDS = {
    "project": [*support.EXAMPLES, *sorted((support.ROOT / "Benchmarks/scenes").glob("*.ink"))],
    "template": sorted((support.ROOT / "examples").glob("*.inktemplate/manifest.json")),
}
# Projects that neither may accept.
BROKEN = [
    {"version": "1.2", "canvasSize": {"width": 0, "height": 9}},
    {"version": "1.2", "canvas": "endless"},
    {"version": "1.2", "canvasSize": {"width": 9, "height": 9}, "layers": [{"type": "fill"}]},
    {"version": "1.2", "canvasSize": {"width": 9, "height": 9}, "layers": [{"blendMode": "glow"}]},
    {"version": "1.2", "canvasSize": {"width": 9, "height": 9}, "viewports": [{"zoom": 2}]},
]


def schema(kind):
    return json.loads((support.ROOT / f"docs/schema/{kind}.schema.json").read_text())


class SchemaTests(unittest.TestCase):
    def test_the_schemas_are_schemas(self):
        for kind in ("project", "template", "preset"):
            with self.subTest(kind=kind):
                jsonschema.Draft202012Validator.check_schema(schema(kind))
                jsonschema_rs.meta.validate(schema(kind))

    def test_examples_and_scenes_conform(self):
        for kind, files in KINDS.items():
            fast = jsonschema_rs.validator_for(schema(kind))
            slow = jsonschema.Draft202012Validator(schema(kind))
            for file in files:
                with self.subTest(file=file.name):
                    content = json.loads(file.read_text())
                    self.assertEqual([str(e) for e in fast.iter_errors(content)], [])
                    # The validator in Python takes milliseconds a point.
                    if file.stat().st_size < 300_000:
                        self.assertEqual([e.message for e in slow.iter_errors(content)], [])

    def test_broken_projects_do_not(self):
        fast, slow = jsonschema_rs.validator_for(schema("project")), jsonschema.Draft202012Validator(schema("project"))
        for content in BROKEN:
            with self.subTest(content=content):
                self.assertFalse(fast.is_valid(content))
                self.assertFalse(slow.is_valid(content))


if __name__ == "__main__":
    unittest.main()
