"""Decide about the output of conform.py -v: catalog, closure, parents and enrichment must agree with the recorded answers.

Template names, variables and renderings are open until templates are complete; delete OPEN when they are.
Usage: conformance.py LOG. Prints what conform.py says, and the details of what counts. Exit 1 if anything counts.
"""
import re
import sys

OPEN = ("template ", "render ")
CLOSING = re.compile(r"^\d+ passed, \d+ failed, \d+ skipped$")


def main(path):
    lines = open(path, encoding="utf-8", errors="replace").read().splitlines()
    if not lines or not CLOSING.match(lines[-1]):
        print("\n".join(lines))
        return "conform.py did not come to its end"
    case, differences = "?", []
    for line in lines:
        detail = line.startswith("      ")
        what = line.startswith("    ") and not detail
        if what:
            differences.append((case, line.strip(), []))
        elif detail and differences:
            differences[-1][2].append(line)
        else:
            case = line.split(" ", 1)[0]
            print(line)
    counting = [d for d in differences if not d[1].startswith(OPEN)]
    for name, what, details in counting:
        print(f"\ncase {name}: {what}", *details, sep="\n")
    print(f"{len(differences)} differences: {len(counting)} count, {len(differences) - len(counting)} are still open")
    return f"{len(counting)} differences that count" if counting else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
