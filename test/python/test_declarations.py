# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""The declarations in Python are those of the headers."""

import ctypes
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from limber import _errors, _library, _structs, batch, data, linear, model, results, simulation
from support import ROOT

HEADERS = ROOT / "include" / "limber"


def read_headers():
    text = "\n".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r"\s+", " ", text)


def find_ctype(declaration):
    """The ctypes of a result or parameter, by its C type."""
    text = re.sub(r"\b(const|struct|enum)\b", "", declaration)
    if "*" in text or "[" in text:
        return "pointer"
    words = text.split()
    if words[0] in ("double", "size_t", "bool", "long", "void"):
        return {"double": ctypes.c_double, "size_t": ctypes.c_size_t, "bool": ctypes.c_bool, "long": ctypes.c_long,
                "void": None}[words[0]]
    if words[0] == "int" or words[0] in ENUMS:
        return ctypes.c_int
    if words[0] in STRUCTS:
        return STRUCTS[words[0]]
    return "pointer" if words[0] in FUNCTION_TYPES else declaration


TEXT = read_headers()
ENUMS = set(re.findall(r"typedef enum (\w+)", TEXT))
FUNCTION_TYPES = set(re.findall(r"typedef \w+ \(\*(\w+)\)", TEXT))
PROTOTYPES = {name: (result.strip(), arguments.strip())
              for result, name, arguments in re.findall(r"LB_API ([\w ]+[ *]+?)(\w+)\(([^()]*)\)", TEXT)}
STRUCTS = {thing.c_name: thing for thing in vars(_structs).values() if hasattr(thing, "c_name")}


class Functions(unittest.TestCase):
    def test_every_function_has_the_arguments_of_its_header(self):
        self.assertGreater(len(PROTOTYPES), 200)
        for name, (result, *arguments) in _library.FUNCTIONS.items():
            with self.subTest(name):
                self.assertIn(name, PROTOTYPES)
                c_result, c_arguments = PROTOTYPES[name]
                expected = [] if c_arguments == "void" else c_arguments.split(",")
                self.assertEqual(len(arguments), len(expected))
                for given, declaration in zip([result, *arguments], [c_result, *expected]):
                    wanted = find_ctype(declaration)
                    if wanted == "pointer":
                        is_text = re.search(r"\bchar \*(?!\*|const)", declaration)
                        self.assertIn(given, (ctypes.c_void_p, ctypes.c_char_p if is_text else None), declaration)
                    else:
                        self.assertIs(given, wanted, declaration)

    def test_every_function_is_used(self):
        sources = "".join(path.read_text() for path in (ROOT / "python" / "limber").glob("*.py")
                          if path.name != "_library.py")
        found = set(re.findall(r"\blb_\w+", sources)) | {"lb_find_integrator", "lb_find_algorithm", "lb_get_version"}
        self.assertEqual(set(_library.FUNCTIONS) - found, set())

    def test_the_interface_is_that_of_the_headers(self):
        version = re.search(r'#define LB_VERSION "(\d+\.\d+)\.', (HEADERS / "base.h").read_text()).group(1)
        self.assertEqual(_library.INTERFACE, version)


class Constants(unittest.TestCase):
    def read_enum(self, name):
        body = re.search(r"typedef enum %s \{(.*?)\}" % name, TEXT).group(1)
        names, value = {}, 0
        for entry in filter(None, (part.strip() for part in body.split(","))):
            word, _, number = (part.strip() for part in entry.partition("="))
            value = int(number) if number else value
            names[word] = value
            value += 1
        return names

    def check(self, enum, prefix, words):
        values = self.read_enum(enum)
        for word, value in words.items():
            self.assertEqual(values[prefix + word.upper().replace("-", "_")], value)

    def test_words_have_the_numbers_of_the_enums(self):
        self.check("lb_axes", "LB_AXES_", data.AXES)
        self.check("lb_format", "LB_FORMAT_", model.FORMATS)
        self.check("lb_about", "LB_ABOUT_", linear.ABOUT)
        self.check("lb_control_model", "LB_CONTROL_", linear.CONTROL)
        self.check("lb_direction", "LB_DIRECTION_", simulation.DIRECTIONS)
        self.check("lb_action_type", "LB_ACTION_", {**simulation.ACTIONS, "call": simulation.CALL})
        self.check("lb_force_type", "LB_FORCE_", {"callback": simulation.CALLBACK_FORCE})

    def test_statuses_have_the_numbers_of_the_list(self):
        text = (HEADERS / "status_list.h").read_text()
        failures = {int(value): name.lower() for name, value in re.findall(r"X\(LB_E_(\w+), (-\d+),", text)}
        self.assertEqual(_errors.STATUS_NAMES, failures)
        news = dict(re.findall(r"X\(LB_NEWS_(\w+), (\d+),", text))
        self.assertEqual((news["STOP"], news["INDEFINITE"]), (str(simulation.STOP), str(data.INDEFINITE)))

    def test_endings_are_those_of_the_results(self):
        words = re.search(r"How the run ended: 0 not .*?\n", (HEADERS / "results.h").read_text()).group(0)
        self.assertEqual(words.count(","), len(results.ENDINGS) - 1)

    def test_pieces_of_batches_start_at_whole_lanes(self):
        self.assertIn("start at multiples of eight states", re.sub(r"[\s/]+", " ", (HEADERS / "batch.h").read_text()))
        self.assertEqual(batch.LANES, 8)


class Structs(unittest.TestCase):
    def test_defaults_are_those_of_the_headers(self):
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        # the library itself fills run options for Python
        names = [name for name, struct in STRUCTS.items() if issubclass(struct, _structs.Sized)
                 and f"lb_default_{name[3:]}(" in TEXT and name != "lb_run_options" and f"lb_init_{name[3:]}(" not in TEXT]
        lines = ['#include <stdio.h>', *(f'#include "limber/{path.name}"' for path in sorted(HEADERS.glob("*.h")))]
        lines.append("int main(void) {")
        expected = []
        for name in names:
            struct = STRUCTS[name]()
            for field, kind in struct._fields_:
                if kind in (ctypes.c_double, ctypes.c_int, ctypes.c_bool, ctypes.c_size_t):
                    lines.append(f'printf("{name}.{field} %.17g\\n", (double)lb_default_{name[3:]}().{field});')
                    expected.append(f"{name}.{field} {float(getattr(struct, field)):.17g}")
        lines.append("return 0; }")
        found = self.run_program(compiler, lines)
        self.assertEqual(found, expected)
        self.assertGreater(len(names), 9)

    @staticmethod
    def run_program(compiler, lines):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "structs.c", Path(folder) / "structs"
            source.write_text("\n".join(lines))
            subprocess.run([compiler, "-std=c17", "-I", str(ROOT / "include"), str(source), "-o", str(program), "-lm"],
                           check=True)
            return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()

    def test_sizes_and_offsets_are_those_of_the_compiler(self):
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        lines = ['#include <stddef.h>', '#include <stdio.h>']
        lines += [f'#include "limber/{path.name}"' for path in sorted(HEADERS.glob("*.h"))]
        lines.append("int main(void) {")
        expected = []
        for name, struct in STRUCTS.items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            expected.append(f"{name} {ctypes.sizeof(struct)}")
            for field, *_ in struct._fields_:
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                             f"sizeof((({name} *)0)->{field}));")
                place = getattr(struct, field)
                expected.append(f"{name}.{field} {place.offset} {place.size}")
        lines.append("return 0; }")
        found = self.run_program(compiler, lines)
        self.assertEqual(found, expected)

    def test_no_field_is_left_out(self):
        for name, struct in STRUCTS.items():
            body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), TEXT).group(1)
            body = re.sub(r"\((\*\w+)\)\(.*?\)", r"\1", body)  # pointers to functions
            count = sum(1 + part.count(",") for part in body.split(";") if part.strip())
            self.assertEqual(count, len(struct._fields_), name)
