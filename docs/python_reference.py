# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python module as a page of Markdown, read from its sources: nothing is imported."""

import ast
import inspect


def find_public(folder):
    """What limber/__init__.py lists in __all__, in the order of the modules: pairs of name and syntax tree."""
    start = ast.parse((folder / "__init__.py").read_text())
    names, modules = set(), []
    for node in start.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            modules.append(node.module)
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            names = set(ast.literal_eval(node.value))
    for module in modules:
        for node in ast.parse((folder / f"{module}.py").read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in names:
                yield node


def write_docstring(node):
    """A docstring, its examples as code."""
    lines, out, inside = inspect.cleandoc(ast.get_docstring(node) or "").splitlines(), [], False
    for line in lines:
        if line.startswith(">>> ") and not inside:
            out.append("```python")
            inside = True
        elif not line and inside:
            out.append("```")
            inside = False
        out.append(line)
    return "\n".join([*out, "```"] if inside else out)


def write_signature(node, owner=""):
    arguments = [argument for argument in ast.unparse(node.args).split(", ") if argument != "self"]
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"```python\n{owner}{node.name}({', '.join(arguments)}){result}\n```"


def write_fields(node, source_lines):
    """Annotated fields of a class and what their comments say."""
    for field in node.body:
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            comment = source_lines[field.lineno - 1].partition("#: ")[2]
            yield f"- `{field.target.id}: {ast.unparse(field.annotation)}`" + (f": {comment}" if comment else "")


def make_reference(folder):
    """The page."""
    sources = {path.stem: path.read_text().splitlines() for path in folder.glob("*.py")}
    page = ["# The Python module", "", "Made from the docstrings. [The guide](../guide/python.md) shows how it is used.",
            ""]
    for node in find_public(folder):
        page += [f"## limber.{node.name}", ""]
        if isinstance(node, ast.FunctionDef):
            page += [write_signature(node, "limber."), "", write_docstring(node), ""]
            continue
        lines = next(lines for lines in sources.values() if len(lines) >= node.lineno
                     and lines[node.lineno - 1].startswith(f"class {node.name}"))
        page += [write_docstring(node), "", *write_fields(node, lines), ""]
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                page += [f"### {node.name}.{method.name}", "", write_signature(method), "", write_docstring(method), ""]
    return "\n".join(page)
