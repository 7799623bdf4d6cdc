"""Servers that others wrote, for tests of publishing."""
import os
import signal
import socket
import subprocess

MODULES = "/usr/lib/nginx/modules"
NGINX = """load_module {modules}/ngx_rtmp_module.so;
daemon off; master_process off; worker_processes 1; pid {directory}/pid; error_log {directory}/error.log;
events {{}}
rtmp {{ server {{ listen {address}:{rtmp}; application live {{ live on; record all; record_unique on; record_path {directory}; }} }} }}
http {{
    access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/a; fastcgi_temp_path {directory}/b;
    uwsgi_temp_path {directory}/c; scgi_temp_path {directory}/d;
    server {{ listen {address}:{http}; root {directory}; client_max_body_size 0; location / {{ dav_methods PUT; }} }}
    {https}
}}
{stream}
"""
HTTPS = """server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {certificate}; ssl_certificate_key {key};
    root {directory}; client_max_body_size 0; location / {{ dav_methods PUT; }}
}}"""
RTMPS = """stream {{ server {{
    listen 127.0.0.1:{port} ssl; ssl_certificate {certificate}; ssl_certificate_key {key}; proxy_pass 127.0.0.1:{rtmp};
}} }}"""


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def make_certificate(directory, names):
    """Makes a certificate that signs itself. Returns the paths of the certificate and the key."""
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=nalu test", "-addext",
         f"subjectAltName={names}", "-keyout", key, "-out", certificate], check=True, capture_output=True, timeout=60)
    return certificate, key


class Nginx:
    """nginx with RTMP, and PUT by HTTP. `tls` is a certificate and a key, with which both have an encrypted port too. `prefix` is
    the beginning of a command that starts the server elsewhere."""

    def __init__(self, directory, tls=None, address="127.0.0.1", prefix=()):
        self.prefix = prefix
        self.rtmp, self.http, self.rtmps, self.https = (free_port() for _ in range(4))
        self.directory = directory
        https = stream = ""
        if tls:
            facts = {"certificate": tls[0], "key": tls[1], "directory": directory, "rtmp": self.rtmp}
            https, stream = HTTPS.format(port=self.https, **facts), RTMPS.format(port=self.rtmps, **facts)
        configuration = NGINX.format(
            modules=MODULES, directory=directory, address=address, rtmp=self.rtmp, http=self.http, https=https, stream=stream)
        if tls:
            configuration = f"load_module {MODULES}/ngx_stream_module.so;\n{configuration}"
        (directory / "nginx.conf").write_text(configuration)

    def start(self):
        return subprocess.Popen([*self.prefix, "nginx", "-c", self.directory / "nginx.conf", "-p", self.directory],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def received(self):
        return sorted(self.directory.glob("*.flv"))


class SRT:
    """srt-live-transmit, with the address and the prefix of `Nginx`."""

    def __init__(self, directory, address="127.0.0.1", prefix=()):
        self.address, self.prefix = address, prefix
        self.port = free_port(socket.SOCK_DGRAM)
        self.directory = directory
        self.count = 0

    def start(self):
        self.count += 1
        with open(self.directory / f"{self.count}.ts", "wb") as output:
            command = ["srt-live-transmit", "-q", f"srt://{self.address}:{self.port}?mode=listener", "file://con"]
            return subprocess.Popen([*self.prefix, *command], stdout=output, stderr=subprocess.DEVNULL)

    def received(self):
        return sorted(self.directory.glob("*.ts"))


class Group(subprocess.Popen):
    """A program that gets signals together with its children."""

    def __init__(self, command, **options):
        super().__init__(command, start_new_session=True, **options)

    def send_signal(self, number):
        os.killpg(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Listener:
    """An FFmpeg that listens, and is started again after each connection."""

    def __init__(self, directory, scheme, rest, *options):
        port = free_port(socket.SOCK_DGRAM if scheme == "srt" else socket.SOCK_STREAM)
        self.directory = directory
        self.url = f"{scheme}://127.0.0.1:{port}{rest}"
        source = f"srt://127.0.0.1:{port}?mode=listener" if scheme == "srt" else self.url
        self.command = ["ffmpeg", "-nostdin", "-v", "error", *options, "-analyzeduration", "100000", "-i", source,
                        "-map", "0:v", "-c", "copy", "-flush_packets", "1", "-f", "mpegts"]
        self.count = 0

    def start(self):
        self.count += 1
        loop = 'name=$1; shift; count=0; while :; do "$@" "$name-$((count += 1)).ts"; sleep 0.1; done'
        return Group(["sh", "-c", loop, "sh", self.directory / str(self.count), *self.command], stderr=subprocess.DEVNULL)

    def received(self):
        """The recordings. A connection that failed at once leaves an empty one."""
        return sorted(path for path in self.directory.glob("*.ts") if path.stat().st_size > 4000)
