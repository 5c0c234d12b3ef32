"""One conversation with the conformance agent, held by the official Python client of A2A 1.0 (see report.py)."""

import asyncio
import uuid
from contextlib import suppress
from datetime import datetime, timedelta, timezone

import grpc
import httpx
from a2a.client import A2ACardResolver, Client, ClientCallContext, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as a2a
from a2a.utils.errors import A2AError
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from report import DATA, FILE, arguments, print_report, sha

TOMORROW = datetime.now(timezone.utc) + timedelta(days=1)
#: Longer than any step takes on a busy machine; httpx would give up after five seconds.
PATIENCE = ClientCallContext(timeout=60)


class Conversation:
    """The steps, in any order: each has tasks of its own."""

    def __init__(self, connect, url: str, webhook: str):
        self.connect = connect
        self.url = url
        self.webhook = webhook

    async def card(self) -> dict:
        async with httpx.AsyncClient() as http:
            card = await A2ACardResolver(http, self.url).get_agent_card()
        return {
            'name': card.name,
            'streaming': card.capabilities.streaming,
            'interfaces': [f'{each.protocol_binding} {each.protocol_version}' for each in card.supported_interfaces],
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
        canceled = await client.cancel_task(a2a.CancelTaskRequest(id=running.id), context=PATIENCE)
        return {'state': state(canceled), 'read': state(await self.get(running.id))}

    async def history(self) -> dict:
        asked = await self.send('ask')
        await self.send('enough', task_id=asked.id)
        return {
            'all': said(await self.get(asked.id)),
            'none': said(await self.get(asked.id, history_length=0)),
            'newest': said(await self.get(asked.id, history_length=1)),
        }

    async def list(self) -> dict:
        client = await self.connect()
        first = await self.send('hello')
        for words in ('hello', 'ask'):
            await self.send(words, context_id=first.context_id)

        async def page(**query):
            request = a2a.ListTasksRequest(context_id=first.context_id, **query)
            return await client.list_tasks(request, context=PATIENCE)

        everything = await page()
        one = await page(page_size=2)
        two = await page(page_size=2, page_token=one.next_page_token)
        asking = await page(status=a2a.TASK_STATE_INPUT_REQUIRED, include_artifacts=True)
        done = await page(status=a2a.TASK_STATE_COMPLETED, include_artifacts=True, history_length=0)
        return {
            'total': everything.total_size,
            'states': [state(task) for task in everything.tasks],
            'pages': [len(one.tasks), len(two.tasks)],
            'inOrder': [task.id for task in everything.tasks] == [task.id for task in [*one.tasks, *two.tasks]],
            'lastToken': two.next_page_token,
            'future': len((await page(status_timestamp_after=TOMORROW)).tasks),
            'asking': [state(task) for task in asking.tasks],
            'artifacts': [[text(artifact) for artifact in task.artifacts] for task in done.tasks],
        }

    async def subscribe(self) -> dict:
        running = await self.send('tokens 20 50', immediately=True)
        other = await self.connect()
        stream = other.subscribe(a2a.SubscribeToTaskRequest(id=running.id), context=PATIENCE)
        followed = await follow(stream)
        return {**followed, 'read': seen(await self.get(running.id))}

    async def data(self) -> dict:
        task = await self.send('echo', parts=[a2a.Part(data=ParseDict(value, Value())) for value in DATA])
        return {'back': [MessageToDict(part)['data'] for part in task.artifacts[0].parts[1:]]}

    async def file(self) -> dict:
        file = a2a.Part(raw=FILE, filename='file.bin', media_type='application/octet-stream')
        task = await self.send('echo', parts=[file])
        back = task.artifacts[0].parts[1]
        return {'name': back.filename, 'type': back.media_type, 'same': back.raw == FILE, 'sha256': sha(back.raw)}

    async def nothing(self) -> dict:
        task = await self.send('echo', parts=[a2a.Part(data=ParseDict(None, Value()))])
        part = task.artifacts[0].parts[1]
        return {'data': MessageToDict(part)['data']}

    async def endings(self) -> dict:
        return {words: state(await self.send(words)) for words in ('fail', 'reject')}

    async def errors(self) -> dict:
        client = await self.connect()
        done = await self.send('hello')
        subscription = a2a.SubscribeToTaskRequest(id=done.id)
        return {
            'unknown': await refused(self.get('task.unknown')),
            'cancelFinished': await refused(client.cancel_task(a2a.CancelTaskRequest(id=done.id), context=PATIENCE)),
            'sendFinished': await refused(self.send('more', task_id=done.id)),
            'streamFinished': await refused(follow(self.stream('more', task_id=done.id))),
            'subscribeFinished': await refused(follow(client.subscribe(subscription, context=PATIENCE))),
            'pageSize': await refused(client.list_tasks(a2a.ListTasksRequest(page_size=1000), context=PATIENCE)),
            'version': await refused(
                client.get_task(
                    a2a.GetTaskRequest(id=done.id),
                    context=ClientCallContext(timeout=60, service_parameters={'A2A-Version': '9.9'}),
                )
            ),
        }

    async def push(self) -> dict:
        """Registers two webhooks for a task that waits, takes one away again, and lets the task end."""
        client = await self.connect()
        task = await self.send('ask')

        async def create(**config) -> a2a.TaskPushNotificationConfig:
            request = a2a.TaskPushNotificationConfig(task_id=task.id, url=self.webhook, **config)
            return await client.create_task_push_notification_config(request, context=PATIENCE)

        async def ids() -> list[str] | str:
            request = a2a.ListTaskPushNotificationConfigsRequest(task_id=task.id)
            try:
                found = await client.list_task_push_notification_configs(request, context=PATIENCE)
            except NotImplementedError:
                return 'NotImplementedError'
            return sorted(config.id for config in found.configs)

        created = await create(id='kept', token='secret')
        await create(id='gone')
        wanted = a2a.GetTaskPushNotificationConfigRequest(task_id=task.id, id='kept')
        got = await client.get_task_push_notification_config(wanted, context=PATIENCE)
        both = await ids()
        unwanted = a2a.DeleteTaskPushNotificationConfigRequest(task_id=task.id, id='gone')
        with suppress(NotImplementedError):
            await client.delete_task_push_notification_config(unwanted, context=PATIENCE)
        one = await ids()
        await self.send('forty-two', task_id=task.id)
        shown = {'created': created.id, 'url': got.url, 'token': got.token}
        return {**shown, 'both': both, 'one': one, 'taskId': task.id}

    async def send(self, words: str, *, immediately: bool = False, **message):
        """The Task or Message that a send without a stream is answered with."""
        client = await self.connect(streaming=False)
        request = spoken(words, **message)
        request.configuration.return_immediately = immediately
        async for answer in client.send_message(request, context=PATIENCE):
            return answer.task if answer.HasField('task') else answer.message

    async def stream(self, words: str, **message):
        client = await self.connect()
        async for answer in client.send_message(spoken(words, **message), context=PATIENCE):
            yield answer

    async def get(self, task_id: str, **query):
        client = await self.connect()
        return await client.get_task(a2a.GetTaskRequest(id=task_id, **query), context=PATIENCE)


def spoken(words: str, *, parts=(), **fields) -> a2a.SendMessageRequest:
    message = a2a.Message(message_id=str(uuid.uuid4()), role=a2a.ROLE_USER, **fields)
    message.parts.extend([a2a.Part(text=words), *parts])
    return a2a.SendMessageRequest(message=message)


async def follow(stream) -> dict:
    """A stream to its end: what came first and last, and the text that its updates add up to."""
    kinds, artifacts, last, found, direct = [], {}, None, None, ''
    async for frame in stream:
        kind = frame.WhichOneof('payload')
        kinds.append(kind)
        if kind == 'task':
            found, last = frame.task.id, state(frame.task)
            artifacts = {artifact.artifact_id: text(artifact) for artifact in frame.task.artifacts}
        elif kind == 'message':
            direct = text(frame.message)
        elif kind == 'status_update':
            last = a2a.TaskState.Name(frame.status_update.status.state)
        else:
            update = frame.artifact_update
            before = artifacts.get(update.artifact.artifact_id, '') if update.append else ''
            artifacts[update.artifact.artifact_id] = before + text(update.artifact)
    return {
        'id': found,
        'first': camel(kinds[0]) if kinds else None,
        'last': last,
        'updates': kinds.count('artifact_update'),
        'text': direct + ''.join(artifacts.values()),
    }


async def refused(call) -> str:
    """The class of the error that a call ends in."""
    try:
        await call
    except (A2AError, NotImplementedError) as error:
        return type(error).__name__
    return 'no error'


def state(task: a2a.Task) -> str:
    return a2a.TaskState.Name(task.status.state)


def text(holder) -> str:
    return ''.join(part.text for part in holder.parts)


def seen(task: a2a.Task) -> dict:
    return {'state': state(task), 'text': ''.join(text(artifact) for artifact in task.artifacts)}


def said(task: a2a.Task) -> list[str]:
    return [text(message) for message in task.history]


def camel(name: str) -> str:
    head, *tail = name.split('_')
    return head + ''.join(word.title() for word in tail)


async def main(options) -> None:
    clients: list[Client] = []

    async def connect(streaming: bool = True) -> Client:
        config = ClientConfig(
            streaming=streaming,
            supported_protocol_bindings=[options.binding],
            grpc_channel_factory=grpc.aio.insecure_channel,
        )
        client = await ClientFactory(config).create_from_url(options.url)
        clients.append(client)
        return client

    await print_report(Conversation(connect, options.url, options.webhook))
    for client in clients:
        await client.close()


asyncio.run(main(arguments()))
