"""Decide about the output of conform.py -v: everything must agree with the recorded answers but what BEHAVIOUR wants otherwise.

Each known difference is in KNOWN with the rule that requires it. One that is gone counts too: then its line must go.
Usage: conformance.py LOG. Prints what conform.py says, the known differences, and the details of what counts. Exit 1 if
anything counts.
"""
import re
import sys

DICT = "section 6, Jinja2: `dict` works"
SEVERAL = "section 6, Names: a name that fits several is an error that lists them (two templates are called Readme.md.tpl)"
KNOWN = {
    ("066", "render 17 refused"): DICT,
    ("072", "render 2"): SEVERAL,
    ("072", "render 5"): SEVERAL,
    ("072", "render 6"): SEVERAL,
}
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
    met = {(name, what) for name, what, _ in differences}
    for name, what in sorted(met & KNOWN.keys()):
        print(f"known: case {name}: {what}: {KNOWN[name, what]}")
    counting = [d for d in differences if (d[0], d[1]) not in KNOWN]
    counting += [(name, what, ["      known as a difference, and gone"]) for name, what in sorted(KNOWN.keys() - met)]
    for name, what, details in counting:
        print(f"\ncase {name}: {what}", *details, sep="\n")
    print(f"{len(differences)} differences: {len(counting)} count, {len(met & KNOWN.keys())} are as BEHAVIOUR wants them")
    return f"{len(counting)} differences that count" if counting else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
