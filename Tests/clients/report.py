"""A table of the clients' runs and their comparisons."""


class Report:
    def __init__(self):
        self.rows = []
        self.failures = []

    def record(self, client, what, findings, problems):
        """Adds a run. `findings`: the comparisons, as text; `problems`: a message for each failure."""
        self.rows.append((client, what, findings, "FAILED" if problems else "passed"))
        print(f"{client}: {what}: {'FAILED' if problems else 'passed'}", flush=True)
        for problem in problems:
            self.failures.append(f"{client}: {what}: {problem}")
            print(f"*** {self.failures[-1]}", flush=True)

    def show(self):
        head = ("client", "ran", "compared", "result")
        widths = [max(len(row[column]) for row in [head, *self.rows]) for column in range(len(head))]
        print()
        for row in [head, *self.rows]:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
        for failure in self.failures:
            print(f"*** {failure}")
        print(f"\nclients: {len(self.rows)} runs, {len(self.failures)} problems")
