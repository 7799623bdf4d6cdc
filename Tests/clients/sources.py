"""The source packages of the clients from Debian. apt uses separate lists and directories, so that the machine's are
not changed."""
import functools
import re
import subprocess
import time

SUITE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TIME_LIMIT = 900


class SourcesCannotBeFetched(Exception):
    pass


def archive(name="debian"):
    """Returns the address from which this machine gets Debian's packages, or with debian-security their security
    updates; otherwise Debian's own address."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)"]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT).stdout.splitlines()
    except FileNotFoundError:
        raise SourcesCannotBeFetched("there is no apt-get here, which fetches the sources from Debian") from None
    for line in lines:
        if match := re.fullmatch(rf"(\S+/{name})/? Debian", line):
            return match[1]
    return f"http://deb.debian.org/{name}"


def apt(cache, *arguments, directory=None, program="apt-get"):
    own = cache / "apt"
    options = {
        "Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": own / "sources", "Dir::State::lists": own / "lists",
        "Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": "", "APT::Sandbox::User": "root", "Acquire::Retries": "2",
    }
    command = [program, "--quiet", *(["--assume-yes"] if program == "apt-get" else [])]
    for name, value in options.items():
        command += ["-o", f"{name}={value}"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=TIME_LIMIT, cwd=directory,
                          stdin=subprocess.DEVNULL)


def listed(cache, package):
    """Returns the versions of a source package in the lists, newest first."""
    found = apt(cache, "showsrc", package, program="apt-cache").stdout
    versions = dict.fromkeys(re.findall(r"^Version: (\S+)$", found, re.M))

    def order(left, right):
        newer = subprocess.run(["dpkg", "--compare-versions", left, "gt", right], timeout=TIME_LIMIT).returncode == 0
        return -1 if newer else 1

    return sorted(versions, key=functools.cmp_to_key(order))


def attempt(cache, directory, *step):
    """Runs a step of apt-get, and repeats it if it fails, because a download may fail once. Returns its last message,
    or None."""
    for pause in (5, 20, 0):
        result = apt(cache, *step, directory=directory)
        # An update that fetches nothing still exits with 0.
        if result.returncode == 0 and [*(cache / "apt" / "lists").glob("*Sources*")]:
            return None
        said = (result.stderr.strip() or result.stdout.strip() or "no output").splitlines()
        # The archive lists the file but lacks it, so a repetition is useless.
        if is_missing(said):
            break
        time.sleep(pause)
    return said


def is_missing(said):
    return any(re.search(r"\b404\b", line) for line in said)


def download(cache, directory, package, older):
    """Downloads the newest version of a source package. The archive may list a version that it lacks, such as a recent
    security update. Then, if `older` is true, the next version is used, and the output names it."""
    said = attempt(cache, directory, "update")
    if said:
        raise SourcesCannotBeFetched(f"`apt-get update` failed for the source package {package}: {said[-1]}")
    versions = listed(cache, package)
    if not versions:
        raise SourcesCannotBeFetched(f"the lists of {archive()} have no source package {package}")
    for number, found in enumerate(versions):
        said = attempt(cache, directory, "source", "--download-only", f"{package}={found}")
        if not said:
            if number:
                print(f"clients: {package} {versions[0]} is listed but missing; {found} is taken in its place", flush=True)
            return
        if not is_missing(said):
            raise SourcesCannotBeFetched(f"`apt-get source` failed for {package} {found}: {said[-1]}")
        if not older:
            raise SourcesCannotBeFetched(
                f"{package} {found} is listed but missing (404), and an older version may lack security fixes: try again later, or "
                "set NALU_OLDER_SOURCES=1 for a build that is tested and not published")
        for left in directory.glob(f"{package}_*"):
            left.unlink()
    raise SourcesCannotBeFetched(f"{package} is listed in {len(versions)} versions, and the archive has none of them (404)")


def fetch(cache, package, older=True):
    """Returns the directory with a package's sources. They have Debian's patches, as `dpkg-source` applies them, and no
    other changes. The newest security update is fetched once and kept. `older`: true to use an older version if the
    newest is missing; must be false for releases."""
    directory = cache / package
    if (directory / "source").is_dir():
        return directory / "source"
    own = cache / "apt"
    (own / "sources").mkdir(parents=True, exist_ok=True)
    (own / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (own / "sources" / "clients.sources").write_text(
        "\n".join(f"Types: deb-src\nURIs: {uri}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n"
                  for uri, suite in ((archive(), SUITE), (archive("debian-security"), f"{SUITE}-security"))))
    directory.mkdir(parents=True, exist_ok=True)
    # An interrupted run may have left another version.
    for left in directory.glob("*.dsc"):
        left.unlink()
    print(f"clients: fetching the source package {package}", flush=True)
    download(cache, directory, package, older)
    [description] = directory.glob("*.dsc")
    part = directory / "source.part"
    subprocess.run(["rm", "-rf", str(part)], check=True)
    result = subprocess.run(["dpkg-source", "--no-check", "-x", str(description), str(part)], capture_output=True, text=True,
                            timeout=TIME_LIMIT)
    if result.returncode != 0:
        raise SourcesCannotBeFetched(f"dpkg-source cannot unpack {description.name}: {result.stderr.strip()}")
    part.rename(directory / "source")
    return directory / "source"


def version(source):
    """Returns Debian's version number."""
    first = (source / "debian" / "changelog").read_text().split("\n", 1)[0]
    return re.search(r"\(([^)]*)\)", first)[1]
