"""Builds the .deb, unpacks it to another place and runs its contents.

usage: check_deb.py --build DIR     exit 0 and silence if all is well, 77 without dpkg-deb
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(*command, **options):
    done = subprocess.run(
        [str(c) for c in command],
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    if shutil.which("dpkg-deb") is None:
        print("no dpkg-deb")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tigris-deb-") as temporary:
        work = pathlib.Path(temporary)
        run("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", work)
        (package,) = work.glob("*.deb")
        fields = run("dpkg-deb", "-f", package)
        for field in ("Package: tigris\n", "Version: ", "Architecture: "):
            if field not in fields:
                sys.exit(f"no '{field.strip()}' in\n{fields}")
        run("dpkg-deb", "-x", package, work / "root")
        usr = work / "root/usr"
        listed = run(usr / "bin/tigris-norm", "--load-pass-plugin=hardswish", "--print-passes")
        if "plugin 'hardswish' 1.0.0" not in listed:
            sys.exit(f"the unpacked tool does not find its plugins:\n{listed}")
        for name in (
            "share/man/man1/tigris-plan.1",
            "share/tigris/runtime/include/tigris.h",
            "share/bash-completion/completions/tigris-plan",
            "share/doc/tigris/copyright",
        ):
            if not (usr / name).is_file():
                sys.exit(f"the package lacks usr/{name}")


main()
