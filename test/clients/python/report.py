"""What the conversations of all versions share.

    python conversation_1_0.py --url URL --version 1.0 --binding JSONRPC|HTTP+JSON|GRPC --webhook URL

prints one JSON document: for each step what the client saw (report.ts has its shape). A step that ended in an
exception has `failed` instead; the others go on.
"""

import argparse
import hashlib
import json

FILE = bytes(range(256)) * 4096
OBJECTS = [{'list': [1, [None, 'two']]}, {'deep': [{'null': None}]}]
DATA = [*OBJECTS, [1, [None, 'two']], 'text', 0.5, False]

STEPS = ['card', 'blocking', 'immediately', 'streaming', 'direct', 'question', 'cancel', 'history', 'list', 'subscribe']
STEPS += ['data', 'file', 'nothing', 'endings', 'errors', 'push']


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ('url', 'version', 'binding', 'webhook'):
        parser.add_argument(f'--{name}', required=True)
    return parser.parse_args()


async def print_report(conversation) -> None:
    """Goes through the steps that the conversation has."""
    report = {}
    for step in STEPS:
        if not hasattr(conversation, step):
            continue
        try:
            report[step] = await getattr(conversation, step)()
        except Exception as error:  # Whatever it is, it is what this step has to show.
            report[step] = {'failed': f'{type(error).__name__}: {error}'[:300]}
    print(json.dumps(report))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
