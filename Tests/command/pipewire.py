"""A PipeWire server of a test, with a session bus, a session manager, and cameras and microphones of GStreamer."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from support import CommandTest, Started, run, wait_until


class PipeWireTest(CommandTest):
    """A test with a server of its own in `server`."""

    def setUp(self):
        super().setUp()
        # The path of a socket is short.
        directory = pathlib.Path(tempfile.mkdtemp(prefix="nalu-pw-"))
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        self.server = Server(directory)
        self.addCleanup(self.server.stop)


class Server:
    """Programs in a directory of their own. `environment` is for programs that use the server."""

    def __init__(self, directory):
        self.directory = directory
        self.programs = []
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(directory), XDG_STATE_HOME=str(directory),
                                XDG_CONFIG_HOME=str(directory), PIPEWIRE_RUNTIME_DIR=str(directory),
                                DBUS_SESSION_BUS_ADDRESS=f"unix:path={directory}/bus")
        self.log = open(directory / "log", "ab")
        self.start("dbus-daemon", "--session", "--nofork", f"--address=unix:path={directory}/bus")
        wait_until((directory / "bus").exists, "the session bus")
        self.server = self.start("pipewire")
        wait_until((directory / "pipewire-0").exists, "PipeWire's socket")
        self.start("wireplumber")

    def start(self, *arguments):
        program = Started(arguments, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.programs.append(program)
        return program

    def camera(self, name, *source, caps="video/x-raw,format=NV12,width=320,height=240,framerate=30/1"):
        """Starts a camera, and waits until the command lists it. Returns its program and its identifier."""
        properties = f"stream-properties=props,media.class=Video/Source,node.name={name},node.description={name}"
        program = self.start("gst-launch-1.0", *(source or ("videotestsrc", "is-live=true", "pattern=smpte")), "!", caps,
                             "!", "pipewiresink", "mode=provide", properties)
        return program, self.listed(name)

    def microphone(self, name):
        """Starts a microphone whose samples are all zero. PipeWire itself runs it."""
        program = self.start("pw-cli", "create-node", "adapter",
                             f"{{ factory.name=support.null-audio-sink node.name={name} node.description={name} "
                             "media.class=Audio/Source/Virtual object.linger=1 audio.position=[FL FR] }")
        return program, self.listed(name)

    def listed(self, name):
        identifier = f"pipewire:{name}"
        wait_until(lambda: f"{identifier} " in run("capture", "--list", env=self.environment).stdout.decode(), identifier)
        return identifier

    def stop(self):
        for program in reversed(self.programs):
            program.kill()
            program.wait()
        self.programs = []
        self.log.close()
