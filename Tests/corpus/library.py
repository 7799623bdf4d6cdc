"""Reads a file with the libraries through the Python package, in a separate process, which may crash.

usage: library.py reader FILE
       library.py parser h264|hevc STREAM
Prints an object as JSON."""
import hashlib
import json
import random
import sys

import nalu


def read(path):
    """Returns the presentation time of each sample, and the rejected ones."""
    found = {"times": [], "hidden": [], "refused": []}
    with nalu.open(path) as reader:
        found["container"] = reader.container
        track = next((track for track in reader.tracks if track.is_selected), None)
        found["track"] = None if track is None else track.number
        while True:
            try:
                for sample in reader:
                    found["times"].append(sample.pts.seconds)
                break
            except (ValueError, nalu.Error) as error:
                found["refused"].append(str(error))
                if len(found["refused"]) > 1000 or not isinstance(error, ValueError):
                    break
    return found


def parsed(data, codec, sizes):
    """Returns a digest of each sample that a parser returns for a stream in pieces."""
    parser = nalu.StreamParser(codec)
    digests, refused = [], 0

    def take(samples):
        nonlocal refused
        try:
            for sample in samples:
                text = b"%d/%d %d " % (sample.pts.value, sample.pts.timescale, sample.is_key_frame)
                digests.append(hashlib.md5(text + sample.view).hexdigest())
            return False
        except (ValueError, nalu.Error):
            refused += 1
            return True

    place = 0
    for size in sizes:
        if place >= len(data):
            break
        take(parser.push(data[place:place + size]))
        place += size
    while take(parser.finish()):
        pass
    return digests, refused


def parse(codec, path):
    with open(path, "rb") as file:
        data = file.read()
    generator = random.Random(len(data))
    pieces = (generator.choice((1, 2, 3, 5, 188, 1316, 4096, 65536)) for _ in range(len(data) + 1))
    whole, refused = parsed(data, codec, [len(data)])
    return {"samples": len(whole), "refused": refused, "same": parsed(data, codec, pieces)[0] == whole}


if __name__ == "__main__":
    json.dump(read(sys.argv[2]) if sys.argv[1] == "reader" else parse(sys.argv[2], sys.argv[3]), sys.stdout)
