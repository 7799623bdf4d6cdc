"""Encodes every stream and checks it; scripts/check_streams calls it.

usage: check.py DRIVER WORK_DIRECTORY CLIP... [--only EXPRESSION] [--list] [--table]"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

import cases
import feature_cases
import live_cases
import special_cases
import stream
import tools
import verdict


class Progress:
    """A progress line that is overwritten on a terminal; otherwise an occasional line."""

    def __init__(self, total):
        self.total, self.done, self.failed = total, 0, 0
        self.start = self.said = time.monotonic()
        self.terminal = sys.stdout.isatty()

    def step(self, failed):
        self.done += 1
        self.failed += failed
        line = f"streams: {self.done} of {self.total}, {self.failed} failed, {time.monotonic() - self.start:.0f} s"
        if self.terminal:
            print("\r" + line, end="\n" if self.done == self.total else "", flush=True)
        elif time.monotonic() - self.said >= 20 or self.done == self.total:
            self.said = time.monotonic()
            print(line, flush=True)


def print_failures(failures, most=30):
    """Prints a table of streams and messages. A message of many streams is printed once."""
    names = {}
    for name, sentence in failures:
        names.setdefault(sentence[:300], []).append(name)
    for sentence, those in list(names.items())[:most]:
        print(f"FAILED  {those[0]}" + (f", and {len(those) - 1} more" if len(those) > 1 else ""))
        print(f"        {sentence}")
    if len(names) > most:
        print(f"... and {len(names) - most} more sentences")


FAILURES = (tools.Failure, subprocess.TimeoutExpired, ValueError, KeyError, IndexError)
BATCH = 8
PIXELS_ALONE = 16 << 20


def batches(chosen):
    """Returns the numbers of the cases that are checked together. Large cases, whose pictures come through pipes, are
    checked alone."""
    found = []
    for number, case in enumerate(chosen):
        pixels = case.width * case.height * len(case.frames)
        if found and pixels < PIXELS_ALONE and len(found[-1]) < BATCH and not is_large:
            found[-1].append(number)
        else:
            found.append([number])
        is_large = pixels >= PIXELS_ALONE
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("directory")
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and do nothing")
    parser.add_argument("--table", action="store_true", help="print the quality of every stream")
    options = parser.parse_args()

    clips = cases.Clips({os.path.basename(path).removesuffix(".y4m"): path for path in options.clips})
    # The long cases come first, so that no processor waits for the last of them.
    parts = (cases.quality_cases, special_cases.all_cases, live_cases.all_cases, feature_cases.all_cases,
             cases.matrix_cases)
    chosen = [case for part in parts for case in part(clips) if re.search(options.only, case.name)]
    if options.list:
        print("\n".join(case.name for case in chosen))
        return 0
    files = stream.RawFiles(options.directory)
    progress = Progress(len(chosen))
    failures, qualities, seconds, with_drops = [], [], {}, 0

    def judge(numbers):
        """Returns the result of each case by number: a quality, None or an exception."""
        start = time.monotonic()
        try:
            found = verdict.judge([chosen[number] for number in numbers], options.driver, options.directory, files, numbers)
            return dict(zip(numbers, found))
        except FAILURES as failure:
            if len(numbers) == 1:
                return {numbers[0]: failure}
            together = failure
        finally:
            for number in numbers:
                seconds[number] = (time.monotonic() - start) / len(numbers)
        # If the batch fails, each case is checked alone, to find the failing one.
        results = {}
        for number in numbers:
            results |= judge([number])
        if not any(isinstance(result, Exception) for result in results.values()):
            results[numbers[0]] = tools.Failure(f"only together with the {len(numbers) - 1} after it: {together}")
        return results

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job in concurrent.futures.as_completed([pool.submit(judge, numbers) for numbers in batches(chosen)]):
            for number, result in job.result().items():
                if isinstance(result, Exception):
                    kind = "" if isinstance(result, tools.Failure) else f"{type(result).__name__}: "
                    failures.append((number, kind + str(result)))
                else:
                    with_drops += result is None
                    if result:
                        qualities.append((number, *result))
                progress.step(isinstance(result, Exception))

    if options.table:
        for number, luma, chroma, worst in sorted(qualities):
            print(f"{luma:6.2f} {chroma:6.2f} {worst:6.2f}  {seconds[number]:5.2f} s  {chosen[number].name}")
    print_failures([(chosen[number].name, sentence) for number, sentence in sorted(failures)])
    if with_drops:
        print(f"streams: DataRateLimits made the session drop frames in {with_drops} of {len(chosen)}")
    if qualities:
        print(f"streams: {len(qualities) + with_drops} of {len(chosen)} as promised; "
              f"luma at least {min(quality[1] for quality in qualities):.1f} dB, "
              f"chroma at least {min(quality[2] for quality in qualities):.1f} dB")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
