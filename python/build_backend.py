"""A PEP 517 backend that builds the wheel of `pip install .` with CMake. It needs only Python's standard library.

pip's --config-settings build=FOLDER uses a folder that CMake has already configured. The default is one folder per
Python in build-wheel. It is kept for fast rebuilds and configured again by every call. The environment variable
CMAKE_ARGS holds options of CMake.
"""

import base64
import hashlib
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LICENCES = ("LICENSE", "NOTICE")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = _configured_folder((config_settings or {}).get("build"))
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count())
    _run("cmake", "--build", build, "--target", "macareu_package", "--parallel", jobs)
    name = f"{_distribution()}-{_tag()}.whl"
    with tempfile.TemporaryDirectory() as prefix:
        _run("cmake", "--install", build, "--component", "python", "--prefix", prefix)
        (package,) = pathlib.Path(prefix).glob("lib*/**/site-packages/macareu")
        files = {path.relative_to(package.parent).as_posix(): path.read_bytes()
                 for path in sorted(package.rglob("*")) if path.is_file()}
    _write_wheel(pathlib.Path(wheel_directory) / name, files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files that git tracks."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
    name = f"{_distribution()}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in filter(None, os.fsdecode(listed).split("\0")):
            archive.add(ROOT / path, f"{_distribution()}/{path}", recursive=False)
        metadata = _metadata().encode()
        entry = tarfile.TarInfo(f"{_distribution()}/PKG-INFO")
        entry.size = len(metadata)
        archive.addfile(entry, io.BytesIO(metadata))
    return name


def _run(*command):
    subprocess.run([str(part) for part in command], check=True)


def _configured_folder(given):
    if given is None:
        build = ROOT / "build-wheel" / _tag()
        _configure(build)
        return build
    build = pathlib.Path(given).resolve()
    _check_python(build)
    return build


def _check_python(build):
    """Checks that the folder was configured for the running Python."""
    cache = build / "CMakeCache.txt"
    python = re.search(r"^_Python3_EXECUTABLE:INTERNAL=(.+)$", cache.read_text(encoding="utf-8"), re.MULTILINE)
    if python is None:
        raise RuntimeError(f"{build}: was configured without Python; configure it again with Python enabled")
    program = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
    suffix = subprocess.run([python[1], "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    if suffix != sysconfig.get_config_var("EXT_SUFFIX"):
        raise RuntimeError(f"{build}: was configured for another Python, {python[1]}, whose modules end with {suffix}")


def _configure(build):
    # Drops settings of an earlier call: other options, or pybind11 in a pip environment that no longer
    # exists.
    (build / "CMakeCache.txt").unlink(missing_ok=True)
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DMACAREU_PYTHON=ON", "-DMACAREU_TESTS=OFF", "-DMACAREU_TOOL=OFF",
               "-DMACAREU_INSTRUCTION_SETS=all",
               f"-DPython3_EXECUTABLE={sys.executable}"]
    try:  # CMake would not find it in pip's isolated environment
        import pybind11
        options.append(f"-DMACAREU_PYBIND11={pybind11.get_include()}")
    except ImportError:
        pass
    _run("cmake", "-S", ROOT, "-B", build, *options, *shlex.split(os.environ.get("CMAKE_ARGS", "")))


def _project():
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _version():
    return re.search(r"project\(macareu VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def _distribution():
    return f"{_project()['name']}-{_version()}"


def _tag():
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _metadata():
    about = _project()
    fields = [("Metadata-Version", "2.1"), ("Name", about["name"]), ("Version", _version()),
              ("Summary", about["description"]), ("License", about["license"]["text"]), *(("License-File", each) for each in LICENCES),
              ("Requires-Python", about["requires-python"]),
              *(("Requires-Dist", each) for each in about["dependencies"]),
              ("Description-Content-Type", "text/markdown")]
    lines = [f"{name}: {value}" for name, value in fields]
    return "\n".join([*lines, "", (ROOT / about["readme"]).read_text(encoding="utf-8")])


def _write_wheel(path, files):
    described = f"{_distribution()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: macareu\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    files = {**files, f"{described}/METADATA": _metadata().encode(), f"{described}/WHEEL": wheel.encode(),
             **{f"{described}/{each}": (ROOT / each).read_bytes() for each in LICENCES}}
    record = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    files[f"{described}/RECORD"] = "\n".join([*record, f"{described}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
