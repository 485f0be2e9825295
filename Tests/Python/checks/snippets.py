"""Compiles every Swift snippet of README.md, docs and the documentation catalogs, by itself and as written.

    scripts/check snippets [FILE …]          type-checks the snippets of these Markdown files, by default of
                                             all pages, against the modules that the tests were built with
    scripts/check snippets --packages        also resolves and builds a package from each snippet that is a
                                             Package.swift, with the next snippet of its page as main.swift
    scripts/check snippets --list            prints the place of each snippet

The language mode is 6, and warnings are errors. Modules of Apple's platforms are those of Tests/StandIns on
Linux. Packages are built in .build-snippets, beside a link to this folder with the name inkstate.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from inkstate.command import ROOT

MODULES = os.path.join(ROOT, ".build-tests", "release", "Modules")
STAND_INS = os.path.join(ROOT, "Tests", "StandIns")
PACKAGES = os.path.join(ROOT, ".build-snippets")


class Snippet:
    def __init__(self, path, line, text):
        self.path, self.line, self.text = path, line, text
        self.is_manifest = re.search(r"^import PackageDescription$", text, re.MULTILINE) is not None

    @property
    def place(self):
        return f"{os.path.relpath(self.path, ROOT)}:{self.line}"


def pages():
    """README.md, the pages in docs, and all pages of documentation catalogs."""
    found = [os.path.join(ROOT, "README.md")]
    found += [os.path.join(ROOT, "docs", name) for name in os.listdir(os.path.join(ROOT, "docs"))
              if name.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(ROOT, "Sources")):
        if ".docc" in folder:
            found += [os.path.join(folder, name) for name in names if name.endswith(".md")]
    return sorted(found)


def snippets(path):
    """The blocks of a page that say they are Swift."""
    found, start, indent = [], None, 0
    with open(path, encoding="utf-8") as page:
        lines = page.read().splitlines()
    for number, line in enumerate(lines, 1):
        fence = re.fullmatch(r"( *)(`{3,}|~{3,})\s*(\S*).*", line)
        if start is None and fence:
            start, indent, mark = number, len(fence[1]), fence[2]
            is_swift = fence[3].lower() == "swift"
        elif start is not None and line.strip() == mark:
            if is_swift:
                text = "".join(line[indent:] + "\n" for line in lines[start:number - 1])
                found.append(Snippet(path, start + 1, text))
            start = None
    if start is not None:
        sys.exit(f"check: {path}:{start}: the block does not end")
    return found


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def stand_ins(folder):
    """Builds the stand-ins of modules that are missing here, and returns where they are."""
    names = sorted(name[:-6] for name in os.listdir(STAND_INS) if name.endswith(".swift"))
    waiting = names if sys.platform == "linux" else []
    while waiting:
        left = []
        for name in waiting:
            result = run(["swiftc", "-emit-module", "-parse-as-library", "-swift-version", "6",
                          "-module-name", name, "-I", folder, "-emit-module-path",
                          os.path.join(folder, f"{name}.swiftmodule"),
                          os.path.join(STAND_INS, f"{name}.swift")], cwd=folder)
            if result.returncode:
                left.append(name)
        if left == waiting:
            sys.exit(f"check: the stand-in {left[0]} does not compile\n{result.stdout}")
        waiting = left
    return folder


def type_check(snippet, modules, folder):
    """Returns what the compiler says about a snippet, or nothing."""
    name = "Package.swift" if snippet.is_manifest else "main.swift"
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        # Messages name the line in the page.
        file.write(f'#sourceLocation(file: "{snippet.path}", line: {snippet.line})\n{snippet.text}')
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors"]
    if snippet.is_manifest:
        tools = os.path.dirname(os.path.realpath(shutil.which("swiftc")))
        command += ["-I", os.path.join(tools, "..", "lib", "swift", "pm", "ManifestAPI"),
                    "-package-description-version", "6.1"]
    else:
        kernels = os.path.join(modules, "..", "CInkKernels.build", "module.modulemap")
        command += ["-I", modules, "-I", folder, "-Xcc", f"-fmodule-map-file={kernels}"]
    result = run(command + [path])
    if result.returncode:
        return result.stdout
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        products = re.findall(r'\.(?:library|executable)\(\s*name: "([\w-]+)"', file.read())
    named = re.findall(r'\.product\(\s*name: "([^"]*)",\s*package: "inkstate"', snippet.text)
    return "".join(f"there is no product {name}\n" for name in named if name not in products)


def build(manifest, program):
    """Builds and runs a package from two snippets, and returns what went wrong, or nothing."""
    os.makedirs(PACKAGES, exist_ok=True)
    link = os.path.join(PACKAGES, "inkstate")
    if not os.path.islink(link):
        os.symlink("..", link)
    # The folder is kept, with what was built in it.
    folder = os.path.join(PACKAGES, os.path.basename(manifest.path).removesuffix(".md"))
    name = re.search(r'Target\(\s*name: "(\w+)"', manifest.text)[1]
    sources = os.path.join(folder, "Sources", name)
    os.makedirs(sources, exist_ok=True)
    for path, text in [(os.path.join(folder, "Package.swift"), manifest.text),
                       (os.path.join(sources, "main.swift"), program.text)]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    shutil.copy(os.path.join(ROOT, "Package.resolved"), folder)
    result = run(["swift", "run", "--package-path", folder, name])
    return f"{manifest.place}: the package does not run\n{result.stdout}" if result.returncode else ""


def main():
    parser = argparse.ArgumentParser(
        "scripts/check snippets", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--modules", default=MODULES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    found = [snippets(os.path.abspath(path)) for path in options.files or pages()]
    problems = []
    if options.list:
        print("\n".join(snippet.place for page in found for snippet in page))
        return
    if not os.path.isdir(options.modules):
        sys.exit(f"check: {options.modules} is missing. Run scripts/swift-for-tests build --build-tests")
    with tempfile.TemporaryDirectory() as folder:
        stand_ins(folder)
        for page in found:
            for index, snippet in enumerate(page):
                problem = type_check(snippet, options.modules, folder)
                if not problem and options.packages and snippet.is_manifest:
                    # The program is the snippet after it.
                    problem = build(snippet, page[index + 1])
                if problem:
                    problems.append(f"{snippet.place}: the snippet does not compile\n{problem}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{sum(map(len, found))} snippets compile")


if __name__ == "__main__":
    main()
