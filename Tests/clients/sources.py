"""Sources of the clients, as Debian publishes them. apt gets a list of sources and a folder of its own, so that the machine's
are not changed."""
import re
import subprocess
import time

SUITE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TIME_LIMIT = 900


class SourcesCannotBeFetched(Exception):
    pass


def archive(name="debian"):
    """Where this machine gets Debian's packages from, or with debian-security their security updates; otherwise Debian's own
    address."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)"]
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT).stdout.splitlines()
    except FileNotFoundError:
        raise SourcesCannotBeFetched("there is no apt-get here, which fetches the sources from Debian") from None
    for line in lines:
        if match := re.fullmatch(rf"(\S+/{name})/? Debian", line):
            return match[1]
    return f"http://deb.debian.org/{name}"


def apt(cache, *arguments, folder=None):
    own = cache / "apt"
    options = {
        "Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": own / "sources", "Dir::State::lists": own / "lists",
        "Dir::Cache::pkgcache": "", "Dir::Cache::srcpkgcache": "", "APT::Sandbox::User": "root", "Acquire::Retries": "2",
    }
    command = ["apt-get", "--quiet", "--assume-yes"]
    for name, value in options.items():
        command += ["-o", f"{name}={value}"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=TIME_LIMIT, cwd=folder,
                          stdin=subprocess.DEVNULL)


def fetch(cache, package):
    """The folder with a package's sources, with Debian's patches as `dpkg-source` applies them and nothing else changed. Those
    with the newest security updates are taken, and stay."""
    folder = cache / package
    if (folder / "source").is_dir():
        return folder / "source"
    own = cache / "apt"
    (own / "sources").mkdir(parents=True, exist_ok=True)
    (own / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (own / "sources" / "clients.sources").write_text(
        "\n".join(f"Types: deb-src\nURIs: {uri}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n"
                  for uri, suite in ((archive(), SUITE), (archive("debian-security"), f"{SUITE}-security"))))
    folder.mkdir(parents=True, exist_ok=True)
    # Of a run that was interrupted, perhaps of another version.
    for left in folder.glob("*.dsc"):
        left.unlink()
    print(f"clients: fetching the source package {package}", flush=True)
    for step in (["update"], ["source", "--download-only", package]):
        # A download may fail once.
        for pause in (5, 20, 0):
            result = apt(cache, *step, folder=folder)
            # An update that gets nothing ends with 0 all the same.
            if is_done := result.returncode == 0 and [*(own / "lists").glob("*Sources*")]:
                break
            time.sleep(pause)
        if not is_done:
            said = (result.stderr.strip() or result.stdout.strip()).splitlines()
            raise SourcesCannotBeFetched(
                f"`apt-get {' '.join(step)}` failed for the source package {package}: {said[-1] if said else 'no output'}")
    [description] = folder.glob("*.dsc")
    part = folder / "source.part"
    subprocess.run(["rm", "-rf", str(part)], check=True)
    result = subprocess.run(["dpkg-source", "--no-check", "-x", str(description), str(part)], capture_output=True, text=True,
                            timeout=TIME_LIMIT)
    if result.returncode != 0:
        raise SourcesCannotBeFetched(f"dpkg-source cannot unpack {description.name}: {result.stderr.strip()}")
    part.rename(folder / "source")
    return folder / "source"


def version(source):
    """As Debian numbers it."""
    first = (source / "debian" / "changelog").read_text().split("\n", 1)[0]
    return re.search(r"\(([^)]*)\)", first)[1]
