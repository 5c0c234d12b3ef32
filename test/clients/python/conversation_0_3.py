"""One conversation with the conformance agent, held by the last official Python client of A2A 0.3 (see report.py).

0.3 knows no list of tasks, and its client no list of webhooks.
"""

import asyncio
import base64
import uuid

import grpc
import httpx
from a2a import types as a2a
from a2a.client import ClientConfig, ClientFactory
from a2a.client.errors import A2AClientError, A2AClientHTTPError, A2AClientJSONRPCError
from report import FILE, OBJECTS, arguments, print_report, sha


class Conversation:
    """The steps, in any order: each has tasks of its own."""

    def __init__(self, connect, webhook: str):
        self.connect = connect
        self.webhook = webhook

    async def card(self) -> dict:
        card = await (await self.connect()).get_card()
        others = card.additional_interfaces or []
        bindings = {card.preferred_transport, *(each.transport for each in others)}
        return {
            'name': card.name,
            'streaming': card.capabilities.streaming,
            'interfaces': sorted(f'{binding} {card.protocol_version[:3]}' for binding in bindings),
        }

    async def blocking(self) -> dict:
        return seen(await self.send('hello'))

    async def immediately(self) -> dict:
        return {'state': state(await self.send('wait 60000', immediately=True))}

    async def streaming(self) -> dict:
        return await follow(self.stream('tokens 5 20'))

    async def direct(self) -> dict:
        return {'text': text(await self.send('message')), 'streamed': (await follow(self.stream('message')))['text']}

    async def question(self) -> dict:
        asked = await self.send('ask')
        answered = await self.send('forty-two', task_id=asked.id)
        streamed = await follow(self.stream('ask'))
        return {
            'asked': state(asked),
            'question': text(asked.status.message),
            'answered': seen(answered),
            'sameTask': answered.id == asked.id,
            'streamed': streamed['last'],
            'repliedByStream': (await follow(self.stream('streamed', task_id=streamed['id'])))['last'],
        }

    async def cancel(self) -> dict:
        running = await self.send('wait 60000', immediately=True)
        client = await self.connect()
        canceled = await client.cancel_task(a2a.TaskIdParams(id=running.id))
        return {'state': state(canceled), 'read': state(await self.get(running.id))}

    async def history(self) -> dict:
        asked = await self.send('ask')
        await self.send('enough', task_id=asked.id)
        return {
            'all': said(await self.get(asked.id)),
            'none': said(await self.get(asked.id, history_length=0)),
            'newest': said(await self.get(asked.id, history_length=1)),
        }

    async def subscribe(self) -> dict:
        running = await self.send('tokens 20 50', immediately=True)
        other = await self.connect()
        followed = await follow(other.resubscribe(a2a.TaskIdParams(id=running.id)))
        return {**followed, 'read': seen(await self.get(running.id))}

    async def data(self) -> dict:
        task = await self.send('echo', parts=[a2a.Part(a2a.DataPart(data=value)) for value in OBJECTS])
        return {'back': [part.root.data for part in task.artifacts[0].parts[1:]]}

    async def file(self) -> dict:
        content = base64.b64encode(FILE).decode()
        file = a2a.FileWithBytes(bytes=content, name='file.bin', mime_type='application/octet-stream')
        task = await self.send('echo', parts=[a2a.Part(a2a.FilePart(file=file))])
        back = task.artifacts[0].parts[1].root.file
        raw = base64.b64decode(back.bytes)
        return {'name': back.name, 'type': back.mime_type, 'same': raw == FILE, 'sha256': sha(raw)}

    async def endings(self) -> dict:
        return {words: state(await self.send(words)) for words in ('fail', 'reject')}

    async def errors(self) -> dict:
        client = await self.connect()
        done = await self.send('hello')
        canceled = await self.send('wait 60000', immediately=True)
        await client.cancel_task(a2a.TaskIdParams(id=canceled.id))
        return {
            'unknown': await refused(self.get('task.unknown')),
            'cancelFinished': await refused(client.cancel_task(a2a.TaskIdParams(id=done.id))),
            'cancelCanceled': await refused(client.cancel_task(a2a.TaskIdParams(id=canceled.id))),
            'sendFinished': await refused(self.send('more', task_id=done.id)),
            'streamFinished': await refused(follow(self.stream('more', task_id=done.id))),
            'subscribeFinished': await refused(follow(client.resubscribe(a2a.TaskIdParams(id=done.id)))),
        }

    async def push(self) -> dict:
        """Registers a webhook for a task that waits, and lets the task end."""
        client = await self.connect()
        task = await self.send('ask')
        config = a2a.PushNotificationConfig(id='kept', url=self.webhook, token='secret')
        created = await client.set_task_callback(
            a2a.TaskPushNotificationConfig(task_id=task.id, push_notification_config=config)
        )
        wanted = a2a.GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id='kept')
        got = (await client.get_task_callback(wanted)).push_notification_config
        await self.send('forty-two', task_id=task.id)
        return {
            'created': created.push_notification_config.id,
            'url': got.url,
            'token': got.token,
            'taskId': task.id,
        }

    async def send(self, words: str, *, immediately: bool = False, **message):
        """The Task or Message that a send without a stream is answered with."""
        client = await self.connect(streaming=False, polling=immediately)
        async for answer in client.send_message(spoken(words, **message)):
            return answer if isinstance(answer, a2a.Message) else answer[0]

    async def stream(self, words: str, **message):
        client = await self.connect()
        async for answer in client.send_message(spoken(words, **message)):
            yield answer

    async def get(self, task_id: str, **query):
        client = await self.connect()
        return await client.get_task(a2a.TaskQueryParams(id=task_id, **query))


def spoken(words: str, *, parts=(), **fields) -> a2a.Message:
    told = [a2a.Part(a2a.TextPart(text=words)), *parts]
    return a2a.Message(message_id=str(uuid.uuid4()), role=a2a.Role.user, parts=told, **fields)


async def follow(stream) -> dict:
    """A stream to its end. The client itself adds its updates up to a task, which comes with every event."""
    first, updates, task, direct = None, 0, None, ''
    async for event in stream:
        if isinstance(event, a2a.Message):
            first, direct = first or 'message', text(event)
            continue
        task, update = event
        kind = {None: 'task', 'status-update': 'statusUpdate', 'artifact-update': 'artifactUpdate'}
        first = first or kind[update and update.kind]
        updates += update is not None and update.kind == 'artifact-update'
    return {
        'id': task and task.id,
        'first': first,
        'last': task and state(task),
        'updates': updates,
        'text': direct + (seen(task)['text'] if task else ''),
    }


async def refused(call) -> str:
    """What the client makes of a refusal: over HTTP+JSON and gRPC it knows no more than a status."""
    try:
        await call
    except A2AClientJSONRPCError as error:
        return f'JSON-RPC {error.error.code}'
    except A2AClientHTTPError as error:
        return f'HTTP {error.status_code}'
    except A2AClientError as error:
        return type(error).__name__
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return 'no error'


def state(task: a2a.Task) -> str:
    return f'TASK_STATE_{task.status.state.value.upper().replace("-", "_")}'


def text(holder) -> str:
    return ''.join(part.root.text for part in holder.parts if part.root.kind == 'text')


def seen(task: a2a.Task) -> dict:
    return {'state': state(task), 'text': ''.join(text(artifact) for artifact in task.artifacts or [])}


def said(task: a2a.Task) -> list[str]:
    return [text(message) for message in task.history or []]


async def main(options) -> None:
    # By itself httpx would give up after five seconds.
    async with httpx.AsyncClient(timeout=60) as http:

        async def connect(**config):
            return await ClientFactory.connect(
                options.url,
                ClientConfig(
                    httpx_client=http,
                    supported_transports=[options.binding],
                    grpc_channel_factory=grpc.aio.insecure_channel,
                    **config,
                ),
            )

        await print_report(Conversation(connect, options.webhook))


asyncio.run(main(arguments()))
