#!/usr/bin/python3
"""A stand-in for the desktop's portal: org.freedesktop.portal.ScreenCast on the session bus. It shares a node of PipeWire
without asking.

usage: portal_service.py NODE|refuse|silent      refuse answers as a user who closes the dialog; silent never answers

It needs Debian's python3-dbus and python3-gi, so it runs with the system's Python. It prints each call.
"""
import os
import socket
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

OBJECT = "/org/freedesktop/portal/desktop"
SCREEN_CAST = "org.freedesktop.portal.ScreenCast"


class Request(dbus.service.Object):
    @dbus.service.signal("org.freedesktop.portal.Request", signature="ua{sv}")
    def Response(self, response, results):
        pass


class Portal(dbus.service.Object):
    def __init__(self, bus, mode):
        super().__init__(bus, OBJECT)
        self.bus, self.mode = bus, mode

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
        return self.respond("SelectSources", sender, options, {})

    @dbus.service.method(SCREEN_CAST, in_signature="osa{sv}", out_signature="o", sender_keyword="sender")
    def Start(self, session, parent, options, sender):
        if self.mode == "silent":
            print("Start", flush=True)
            return dbus.ObjectPath(f"{OBJECT}/request/silent")
        if self.mode == "refuse":
            return self.respond("Start", sender, options, {}, code=1)
        stream = dbus.Struct((dbus.UInt32(int(self.mode)), dbus.Dictionary({"source_type": dbus.UInt32(1)}, signature="sv")),
                             signature="ua{sv}")
        return self.respond("Start", sender, options, {"streams": dbus.Array([stream], signature="(ua{sv})")})

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
