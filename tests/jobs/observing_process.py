"""A process of the tests that answers questions about an installation: a line of JSON for each line of input."""

import json
import sys

import django

django.setup()


def main() -> None:
    for line in sys.stdin:
        answer: dict[str, object] = {}
        exec(json.loads(line), answer)
        print(json.dumps(answer["answer"]), flush=True)


main()
