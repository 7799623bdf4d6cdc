"""Serves a source with `nalu serve`, opens the page in Chromium for a time, and writes a screenshot.

usage: screenshot.py NALU SOURCE SECONDS FILE
"""
import sys
import time

from browser import Browser
from live_page import Server


def main(nalu, source, seconds, file):
    with Server(source, command=nalu) as server, Browser() as browser:
        browser.open(server.address)
        browser.wait_for("typeof counts === 'object' && counts.shown > 0")
        time.sleep(float(seconds))
        browser.screenshot(file)
        shown, lost, delay = browser.evaluate("[counts.shown, counts.lost, delays.percentile(0.5)]")
        print(f"page:       {server.address}, {shown} pictures shown, {lost} lost, {delay:.0f} ms from capture to picture")


main(*sys.argv[1:])
