#!/usr/bin/env python3
"""Shows a live stream, or a file, in a window at the times of its pictures.

usage: network_to_window.py udp://0.0.0.0:5000|srt://HOST:PORT|tcp://HOST:PORT|FILE

A thread reads, the display queue decodes and waits for the times, and the main thread draws with pygame, which has SDL2:
`pip install pygame`. The key q or closing the window ends the program, which then prints the delays.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys
import threading

import pygame

import nalu

DELAY = 0.1  # of live pictures, in seconds: the jitter that the network may have


def read(reader, queue, timebase, is_live):
    """Hands in the samples from the first key frame on."""
    has_begun = False
    try:
        for sample in reader:
            if not has_begun:
                if not sample.is_key_frame:
                    continue
                timebase.time = float(sample.dts) - (DELAY if is_live else 0)
                timebase.rate = 1
                has_begun = True
            queue.enqueue(sample)  # waits for room
        queue.finish()
    except nalu.Error as error:
        # The end of the window cancels the reader and closes the queue.
        if not queue.closed:
            print(f"network_to_window: {error}", file=sys.stderr)
            pygame.event.post(pygame.event.Event(pygame.QUIT))


def fitted(size, window):
    """Returns the rectangle of a picture in a window, which keeps the picture's shape."""
    scale = min(window[0] / size[0], window[1] / size[1])
    width, height = round(size[0] * scale), round(size[1] * scale)
    return pygame.Rect((window[0] - width) // 2, (window[1] - height) // 2, width, height)


def main(address):
    is_live = address.startswith(("udp://", "srt://"))
    pygame.display.init()
    screen = pygame.display.set_mode((960, 540), pygame.RESIZABLE)
    pygame.display.set_caption(address)
    picture_event = pygame.event.custom_type()

    def show(frame):
        """Runs in the queue's thread. Only the main thread may draw."""
        if frame is not None:
            pygame.event.post(pygame.event.Event(picture_event, frame=frame))

    def note(event):
        if event == "ended":
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    timebase = nalu.Timebase()
    with nalu.open(address) as reader, nalu.media.DisplayQueue(show, timebase, note, format="rgb", low_delay=is_live) as queue:
        thread = threading.Thread(target=read, args=(reader, queue, timebase, is_live))
        thread.start()
        while True:
            # pygame.event.wait lets other threads send X11 messages, perhaps to a window that was closed meanwhile.
            event = pygame.event.poll()
            if event.type == pygame.NOEVENT:
                pygame.time.wait(2)
            if event.type == pygame.QUIT or event.type == pygame.KEYDOWN and event.key == pygame.K_q:
                break
            if event.type == picture_event:
                height, width, _ = event.frame.array.shape
                picture = pygame.image.frombuffer(event.frame.array.tobytes(), (width, height), "RGB")
                place = fitted((width, height), screen.get_size())
                screen.fill("black")
                screen.blit(pygame.transform.smoothscale(picture, place.size), place)
                pygame.display.flip()
        statistics = queue.statistics
        reader.cancel()
        queue.close()
        thread.join()
    print(f"{statistics.shown_pictures} shown, {statistics.late_pictures} late, decoded in {statistics.decode.mean * 1000:.1f} ms")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: network_to_window.py ADDRESS|FILE")
    try:
        main(sys.argv[1])
    except (nalu.Error, pygame.error) as error:
        sys.exit(f"network_to_window: {error}")
