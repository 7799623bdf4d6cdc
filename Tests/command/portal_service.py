#!/usr/bin/python3
"""A stand-in for the desktop's portal: org.freedesktop.portal.ScreenCast on the session bus. It shares a node of PipeWire
without asking.

usage: portal_service.py NAME|refuse|silent      NAME is the node's name when a session starts; refuse answers as a user who closes
                                                 the dialog; silent never answers

If a client wants a permission that persists, it gets a new token each time, which counts the sessions. A token of an earlier session
is accepted once; with another one, or without one, the service prints that it would ask.

It needs Debian's python3-dbus and python3-gi, so it runs with the system's Python. It prints each call.
"""
import json
import os
import socket
import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

OBJECT = "/org/freedesktop/portal/desktop"
SCREEN_CAST = "org.freedesktop.portal.ScreenCast"


def node(name):
    """Returns PipeWire's number of a node."""
    objects = json.loads(subprocess.run(["pw-dump"], capture_output=True, check=True).stdout)
    return next(each["id"] for each in objects
                if each.get("info", {}).get("props", {}).get("node.name") == name and each["type"].endswith("Node"))


class Request(dbus.service.Object):
    @dbus.service.signal("org.freedesktop.portal.Request", signature="ua{sv}")
    def Response(self, response, results):
        pass


class Portal(dbus.service.Object):
    def __init__(self, bus, mode):
        super().__init__(bus, OBJECT)
        self.bus, self.mode = bus, mode
        self.persists, self.tokens, self.count = False, set(), 0

    def respond(self, call, sender, options, results, code=0):
        print(call, dict(options), flush=True)
        path = f"{OBJECT}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
        request = Request(self.bus, path)

        def emit():
            request.Response(code, dbus.Dictionary(results, signature="sv"))
            request.remove_from_connection()

        GLib.idle_add(emit)
        return dbus.ObjectPath(path)

    @dbus.service.method(SCREEN_CAST, in_signature="a{sv}", out_signature="o", sender_keyword="sender")
    def CreateSession(self, options, sender):
        session = f"{OBJECT}/session/{sender[1:].replace('.', '_')}/{options['session_handle_token']}"
        return self.respond("CreateSession", sender, options, {"session_handle": session})

    @dbus.service.method(SCREEN_CAST, in_signature="oa{sv}", out_signature="o", sender_keyword="sender")
    def SelectSources(self, session, options, sender):
        self.persists = options.get("persist_mode") == 2
        token = options.get("restore_token")
        if token in self.tokens:
            self.tokens.remove(token)
        else:
            print("dialog", flush=True)
        return self.respond("SelectSources", sender, options, {})

    @dbus.service.method(SCREEN_CAST, in_signature="osa{sv}", out_signature="o", sender_keyword="sender")
    def Start(self, session, parent, options, sender):
        if self.mode == "silent":
            print("Start", flush=True)
            return dbus.ObjectPath(f"{OBJECT}/request/silent")
        if self.mode == "refuse":
            return self.respond("Start", sender, options, {}, code=1)
        facts = dbus.Dictionary({"source_type": dbus.UInt32(1)}, signature="sv")
        stream = dbus.Struct((dbus.UInt32(node(self.mode)), facts), signature="ua{sv}")
        results = {"streams": dbus.Array([stream], signature="(ua{sv})")}
        if self.persists:
            self.count += 1
            results["restore_token"] = f"token-{self.count}"
            self.tokens.add(results["restore_token"])
        return self.respond("Start", sender, options, results)

    @dbus.service.method(SCREEN_CAST, in_signature="oa{sv}", out_signature="h")
    def OpenPipeWireRemote(self, session, options):
        print("OpenPipeWireRemote", flush=True)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], "pipewire-0"))
            return dbus.types.UnixFd(connection)

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return dbus.UInt32(4)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
session_bus = dbus.SessionBus()
portal = Portal(session_bus, sys.argv[1])
name = dbus.service.BusName("org.freedesktop.portal.Desktop", session_bus)
print("ready", flush=True)
GLib.MainLoop().run()
