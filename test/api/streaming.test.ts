import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StreamResponse, Task } from '../../core/task.js';
import { artifactTexts, sendParams, type Frame } from '../support/rpc-client.js';
import {
  codeOf,
  BINDINGS,
  call,
  expectPlain,
  openStream,
  send,
  stream,
  type BindingName,
} from './bindings.js';
import type { Run } from './scripted-worker.js';
import { eventually, startTestApi, withMethods, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    settings: {
      keepAliveMs: 60,
      workerWaitMs: 300,
      directHoldMs: 100,
      stalledReaderMs: 700,
      reconnectMs: 1234,
    },
  });
});
afterAll(() => api.close());
// B10: whatever a test did, nothing stays behind.
afterEach(() => eventually(() => api.app.openStreams === 0 && api.app.service.openReaders === 0));

const ids = (frames: Frame[]) => frames.map(({ id }) => Number(id));
const kinds = (frames: Frame[]) => frames.map(({ event }) => Object.keys(event).join());
const stateOf = (event: StreamResponse | undefined) =>
  event && 'statusUpdate' in event ? event.statusUpdate.status.state : undefined;
const lastState = (frames: Frame[]) => stateOf(frames.at(-1)?.event);

/** A task that works and waits for its gate. */
async function gated(binding: BindingName): Promise<{ id: string; run: Run }> {
  const params = sendParams('gate', { configuration: { returnImmediately: true } });
  const { id } = (await call(api, binding, 'SendMessage', params)).result.task;
  await eventually(async () => (await task(binding, id)).status.state === 'TASK_STATE_WORKING');
  return { id, run: api.worker.run(id) };
}

async function task(binding: BindingName, id: string): Promise<Task> {
  return (await call(api, binding, 'GetTask', { id })).result;
}

/** Collects in the background, so that a test can act meanwhile. */
function collect(frames: AsyncGenerator<Frame>): { frames: Frame[]; done: Promise<Frame[]> } {
  const found: Frame[] = [];
  const done = (async () => {
    for await (const frame of frames) found.push(frame);
    return found;
  })();
  return { frames: found, done };
}

describe.each(BINDINGS)('over %s', (binding) => {
  test('B01 B02 B03 a stream is the Task, its updates in order, and the settling status', async () => {
    const frames = await stream(api, binding, 'SendStreamingMessage', sendParams('tokens 5'));
    expect(kinds(frames)[0]).toBe('task');
    expect(ids(frames)).toEqual([...ids(frames)].sort((a, b) => a - b));
    expect(new Set(ids(frames)).size).toBe(frames.length);
    const updates = frames.flatMap(({ event }) => ('artifactUpdate' in event ? [event.artifactUpdate] : []));
    expect(updates.map(({ append }) => append)).toEqual([false, true, true, true, true, false]);
    expect(updates.at(-1)).toMatchObject({
      lastChunk: true,
      artifact: { parts: [{ text: 't0 t1 t2 t3 t4 ' }] },
    });
    expect(lastState(frames)).toBe('TASK_STATE_COMPLETED');
    expect(frames.at(-1)?.event).not.toHaveProperty('statusUpdate.final');
    for (const { event } of frames) expect(Object.keys(event)).toHaveLength(1);
  });

  test('B01 without a cursor the first frame is the Task with open artifacts, its id the last sequence in it', async () => {
    const { id, run } = await gated(binding);
    await run.fragment('a', 'one ', false);
    await run.fragment('a', 'two ', true);
    const reader = collect(openStream(api, binding, 'SubscribeToTask', { id }));
    await eventually(() => reader.frames.length === 1);
    const first = reader.frames[0]!;
    expect(first.event).toMatchObject({
      task: { id, artifacts: [{ artifactId: 'a', parts: [{ text: 'one two ' }] }] },
    });
    expect(Number(first.id)).toBe(4);
    await run.fragment('a', 'three', true);
    run.gate.open();
    const frames = await reader.done;
    expect(ids(frames)[1]).toBe(5);
    expect(artifactTexts(frames).get('a')).toBe('one two three');
  });

  test('A12 historyLength limits what the first frame carries', async () => {
    const params = sendParams('hello', { configuration: { historyLength: 0 } });
    const [first] = await stream(api, binding, 'SendStreamingMessage', params);
    expect(first?.event).toHaveProperty('task');
    expect(first?.event).not.toHaveProperty('task.history');
  });

  test('B06 X43 a stream closes at a question; the reply streams from there to the end', async () => {
    const asked = await stream(api, binding, 'SendStreamingMessage', sendParams('ask'));
    expect(lastState(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
    const { id } = (asked[0]!.event as { task: Task }).task;
    const answered = await stream(api, binding, 'SendStreamingMessage', sendParams('Lima', { taskId: id }));
    expect(kinds(answered)[0]).toBe('task');
    expect((answered[0]!.event as { task: Task }).task.history?.at(-1)?.parts).toEqual([{ text: 'Lima' }]);
    expect(lastState(answered)).toBe('TASK_STATE_COMPLETED');
    expect(artifactTexts(answered).get('answer')).toBe('in Lima');
  });

  test('B06 subscribing to a paused task stays open until it next settles, with a cursor at the pause too', async () => {
    const asked = await stream(api, binding, 'SendStreamingMessage', sendParams('ask'));
    const { id } = (asked[0]!.event as { task: Task }).task;
    const pause = asked.at(-1)!.id!;
    const plain = collect(openStream(api, binding, 'SubscribeToTask', { id }));
    const cursor = collect(openStream(api, binding, 'SubscribeToTask', { id }, { 'Last-Event-ID': pause }));
    await eventually(() => plain.frames.length === 1 && api.app.openStreams === 2);
    expect(plain.frames[0]!.event).toMatchObject({
      task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
    });
    await call(api, binding, 'SendMessage', sendParams('Cairo', { taskId: id }));
    const [one, two] = await Promise.all([plain.done, cursor.done]);
    expect(lastState(one)).toBe('TASK_STATE_COMPLETED');
    expect(two).toEqual(one.slice(1));
    expect(Number(two[0]!.id)).toBe(Number(pause) + 1);
  });

  test('B06 in a replay only the newest event closes the stream', async () => {
    const asked = await stream(api, binding, 'SendStreamingMessage', sendParams('ask2'));
    const { id } = (asked[0]!.event as { task: Task }).task;
    await call(api, binding, 'SendMessage', sendParams('Berlin', { taskId: id }));
    const replay = await stream(api, binding, 'SubscribeToTask', { id }, { 'Last-Event-ID': '1' });
    expect(replay.map(({ event }) => stateOf(event))).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
    ]);
  });

  describe('resumption', () => {
    test('B07 X11 a stream that broke at any event continues with the later ones, each once', async () => {
      const whole = await stream(api, binding, 'SendStreamingMessage', sendParams('tokens 4'));
      const { id } = (whole[0]!.event as { task: Task }).task;
      for (const restarted of [false, true]) {
        if (restarted) await api.restart();
        for (const [at, { id: seen }] of whole.entries()) {
          const rest = await stream(api, binding, 'SubscribeToTask', { id }, { 'Last-Event-ID': seen! });
          expect(rest).toEqual(whole.slice(at + 1));
        }
      }
      expect(await stream(api, binding, 'SubscribeToTask', { id }, { 'Last-Event-ID': '0' })).toEqual(whole);
    });

    test('B07 X11 an empty cursor is none; junk and one ahead of the log are invalid before the stream', async () => {
      const { id, run } = await gated(binding);
      for (const cursor of ['zzz', '-1', '1.5', '1000000000000', '9'.repeat(30), '3 4']) {
        const { error } = await call(api, binding, 'SubscribeToTask', { id }, { 'Last-Event-ID': cursor });
        expect(error).toMatchObject({
          code: codeOf(binding, 'INVALID_PARAMS'),
          fields: ['Last-Event-ID'],
        });
      }
      const empty = collect(openStream(api, binding, 'SubscribeToTask', { id }, { 'Last-Event-ID': '' }));
      await eventually(() => empty.frames.length === 1);
      expect(kinds(empty.frames)).toEqual(['task']);
      run.gate.open();
      await empty.done;
    });

    test('B07 X11 a foreign or unknown task is not found, whatever the cursor', async () => {
      const { id, run } = await gated(binding);
      for (const params of [{ id, tenant: 'other' }, { id: 'task.unknown' }]) {
        for (const headers of [{}, { 'Last-Event-ID': '2' }, { 'Last-Event-ID': 'zz' }] as Record<
          string,
          string
        >[]) {
          const { error } = await call(api, binding, 'SubscribeToTask', params, headers);
          expect(error).toBeDefined();
          if (headers['Last-Event-ID'] !== 'zz') expect(error?.reason).toBe('TASK_NOT_FOUND');
        }
      }
      run.gate.open();
    });

    test('B07 a cursor on a send resumes the send and starts nothing', async () => {
      const params = sendParams('tokens 3', { messageId: `resume-${binding}` });
      const whole = await stream(api, binding, 'SendStreamingMessage', params);
      const before = api.worker.runCount;
      const rest = await stream(api, binding, 'SendStreamingMessage', params, { 'Last-Event-ID': '3' });
      expect(rest).toEqual(whole.slice(3));
      expect(api.worker.runCount).toBe(before);
    });

    test('B07 a cursor on a send finds it by idempotency key, or by taskId and messageId', async () => {
      const key = { 'Idempotency-Key': `stream-${binding}` };
      const params = sendParams('ask', { messageId: `by-key-${binding}` });
      const asked = await stream(api, binding, 'SendStreamingMessage', params, key);
      const byKey = await stream(api, binding, 'SendStreamingMessage', params, {
        ...key,
        'Last-Event-ID': '1',
      });
      expect(byKey).toEqual(asked.slice(1));
      const { id } = (asked[0]!.event as { task: Task }).task;
      const reply = sendParams('Quito', { taskId: id, messageId: 'reply' });
      const answered = await stream(api, binding, 'SendStreamingMessage', reply);
      const cursor = { 'Last-Event-ID': answered[0]!.id! };
      expect(await stream(api, binding, 'SendStreamingMessage', reply, cursor)).toEqual(answered.slice(1));
    });

    test('B07 a cursor on a send that nobody made is invalid', async () => {
      const before = api.worker.runCount;
      const { error } = await call(api, binding, 'SendStreamingMessage', sendParams('hello'), {
        'Last-Event-ID': '1',
      });
      expect(error).toMatchObject({ code: codeOf(binding, 'INVALID_PARAMS'), fields: ['Last-Event-ID'] });
      expect(api.worker.runCount).toBe(before);
    });

    test('B07 A03 a direct answer is given once more, or nothing when it was seen', async () => {
      const at = { ...api, url: `${api.url}/agents/direct` };
      const params = sendParams('say', { messageId: `direct-${binding}` });
      const [answer] = await stream(at, binding, 'SendStreamingMessage', params);
      const missed = await stream(at, binding, 'SendStreamingMessage', params, { 'Last-Event-ID': '0' });
      expect(missed).toEqual([answer]);
      const seen = await stream(at, binding, 'SendStreamingMessage', params, {
        'Last-Event-ID': answer!.id!,
      });
      expect(seen).toEqual([]);
      const ahead = await call(at, binding, 'SendStreamingMessage', params, { 'Last-Event-ID': '99' });
      expect(ahead.error?.fields).toEqual(['Last-Event-ID']);
    });

    test('B07 a cursor older than retention gets the Task as snapshot, then what follows', async () => {
      const { id, run } = await gated(binding);
      const reads = api.journal.read.bind(api.journal);
      // As if a sweep had taken the first events.
      api.journal.read = async (...args) => {
        const stored = await reads(...args);
        return stored && { ...stored, floorSeq: 2 };
      };
      try {
        const reader = collect(openStream(api, binding, 'SubscribeToTask', { id }, { 'Last-Event-ID': '1' }));
        await eventually(() => reader.frames.length === 1);
        expect(kinds(reader.frames)).toEqual(['task']);
        run.gate.open();
        expect(lastState(await reader.done)).toBe('TASK_STATE_COMPLETED');
      } finally {
        api.journal.read = reads;
      }
    });
  });

  test('B08 X03 25 readers get the same events in the same order, and control calls still work', async () => {
    const { id, run } = await gated(binding);
    const readers = Array.from({ length: 25 }, () =>
      collect(openStream(api, binding, 'SubscribeToTask', { id })),
    );
    await eventually(() => readers.every(({ frames }) => frames.length === 1));
    for (let n = 0; n < 5; n += 1) await run.fragment('a', `${n}`, n > 0);
    expect(
      (
        await call(
          api,
          binding,
          'SendMessage',
          sendParams('x', { taskId: id, configuration: { returnImmediately: true } }),
        )
      ).error,
    ).toBeUndefined();
    expect((await task(binding, id)).status.state).toBe('TASK_STATE_WORKING');
    expect((await call(api, binding, 'CancelTask', { id })).result.status.state).toBe('TASK_STATE_CANCELED');
    const all = await Promise.all(readers.map(({ done }) => done));
    for (const frames of all) expect(frames).toEqual(all[0]);
    expect(lastState(all[0]!)).toBe('TASK_STATE_CANCELED');
    expect(artifactTexts(all[0]!).get('a')).toBe('01234');
  });

  test('B08 readers that join in the middle of a burst miss nothing and see nothing twice', async () => {
    const { id, run } = await gated(binding);
    const readers: ReturnType<typeof collect>[] = [];
    for (let n = 0; n < 300; n += 1) {
      await run.fragment('a', `${n},`, n > 0);
      if (n % 20 === 0) readers.push(collect(openStream(api, binding, 'SubscribeToTask', { id })));
    }
    run.gate.open();
    const text = Array.from({ length: 300 }, (_, n) => `${n},`).join('');
    for (const { done } of readers) {
      const frames = await done;
      expect(artifactTexts(frames).get('a')).toBe(text);
      expect(ids(frames)).toEqual(
        Array.from({ length: frames.length }, (_, at) => Number(frames[0]!.id) + at),
      );
    }
  });

  test('X03 event 3,000 arrives', async () => {
    const frames = await stream(api, binding, 'SendStreamingMessage', sendParams('tokens 3000'));
    expect(frames.filter(({ event }) => 'artifactUpdate' in event)).toHaveLength(3001);
  });

  test('B09 X43 what is known before the first event is an ordinary answer', async () => {
    for (const [params, code] of [
      [{ id: 'task.unknown' }, 'TASK_NOT_FOUND'],
      [{}, binding === 'HTTP+JSON' ? 'NOT_FOUND' : 'INVALID_PARAMS'],
    ] as const) {
      const answer = await call(api, binding, 'SubscribeToTask', params);
      expect(answer.error?.code).toBe(codeOf(binding, code));
      expectPlain(binding, answer);
    }
  });

  test('F05 with all workers down a stream opens and stays open until the work is done', async () => {
    api.worker.stop();
    const reader = collect(openStream(api, binding, 'SendStreamingMessage', sendParams('hello')));
    await eventually(() => reader.frames.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(kinds(reader.frames)).toEqual(['task']);
    api.worker.resume();
    expect(lastState(await reader.done)).toBe('TASK_STATE_COMPLETED');
  });

  test('B10 X04 A19 a client that goes away changes nothing, and leaves nothing behind', async () => {
    for (const framesFirst of [0, 1]) {
      const { id, run } = await gated(binding);
      const gone = new AbortController();
      const reader = openStream(api, binding, 'SubscribeToTask', { id }, {}, gone.signal);
      if (framesFirst > 0) await reader.next();
      const ended = reader.next();
      gone.abort();
      await expect(ended).rejects.toThrow();
      await eventually(() => api.app.openStreams === 0 && api.app.service.openReaders === 0);
      const second = collect(openStream(api, binding, 'SubscribeToTask', { id }));
      await eventually(() => second.frames.length === 1);
      run.gate.open();
      expect(lastState(await second.done)).toBe('TASK_STATE_COMPLETED');
    }
  });

  test('X04 A19 a blocking sender that goes away leaves its task to go on', async () => {
    const gone = new AbortController();
    const sending = call(
      api,
      binding,
      'SendMessage',
      sendParams('gate', { contextId: `gone-${binding}` }),
      {},
      gone.signal,
    );
    const listed = async () =>
      (await call(api, binding, 'ListTasks', { contextId: `gone-${binding}` })).result.tasks;
    await eventually(async () => (await listed())[0]?.status.state === 'TASK_STATE_WORKING');
    gone.abort();
    await expect(sending).rejects.toThrow();
    await eventually(() => api.app.service.openReaders === 0);
    const [left] = await listed();
    api.worker.run(left!.id).gate.open();
    await eventually(async () => (await listed())[0]?.status.state === 'TASK_STATE_COMPLETED');
  });
});

/** A raw HTTP client, to see bytes and to stop reading. */
function rawSubscribe(id: string, onData: (text: string) => void): Socket {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.setEncoding('utf8');
  socket.on('data', onData);
  socket.on('error', () => undefined);
  socket.write(`GET /a2a/rest/tasks/${id}:subscribe HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`);
  return socket;
}

test('B02 C13 the bytes of a stream: headers, retry once, ids, pings without a blank line', async () => {
  const { id, run } = await gated('HTTP+JSON');
  let text = '';
  const socket = rawSubscribe(id, (chunk) => (text += chunk));
  await eventually(() => text.split(': ping\n').length > 3);
  run.gate.open();
  await eventually(() => text.endsWith('0\r\n\r\n'));
  socket.destroy();
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  expect(head).toContain('HTTP/1.1 200 OK');
  expect(head).toContain('Content-Type: text/event-stream\r\n');
  expect(head).toContain('Cache-Control: no-cache, no-transform\r\n');
  expect(head).toContain('X-Accel-Buffering: no\r\n');
  expect(head).not.toContain('Content-Encoding');
  const stream = text
    .slice(head.length + 4)
    .replace(/(?:^|\r\n)[0-9a-f]+\r\n/g, '')
    .replaceAll('\r\n', '');
  expect(body).toBeTruthy();
  // Every block that a blank line ends has data, and comments end no block.
  const blocks = stream.split('\n\n').filter((block) => block !== '');
  for (const block of blocks) expect(block).toMatch(/^data: \{.*\}$/m);
  expect(stream.match(/^retry: /gm)).toHaveLength(1);
  expect(blocks[0]).toMatch(/^retry: 1234\nid: \d+\ndata: /);
  expect(stream).toMatch(/\n\n(: ping\n)+id: \d+\ndata: /);
  expect(stream).not.toContain(': ping\n\n');
});

test('X41 B08 a reader that does not read is bounded and cut off, delays nobody, and can resume', async () => {
  const { id, run } = await gated('HTTP+JSON');
  const stuck = Array.from({ length: 20 }, () => {
    const socket = rawSubscribe(id, () => undefined);
    socket.pause();
    return socket;
  });
  const quick = collect(openStream(api, 'HTTP+JSON', 'SubscribeToTask', { id }));
  await eventually(() => quick.frames.length === 1 && api.app.openStreams === 21);
  const before = process.memoryUsage();
  // 20 MB: far more than the sockets' buffers hold.
  const fragment = 'x'.repeat(50_000);
  for (let n = 0; n < 400; n += 1) await run.fragment('big', fragment, n > 0);
  const after = process.memoryUsage();
  await eventually(() => quick.frames.length > 400, 20_000);
  // 20 stuck readers of 20 MB would be 400 MB if they were buffered. (This process is client and server.)
  expect(after.external + after.arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(
    100 * 1024 * 1024,
  );
  await eventually(() => api.app.openStreams === 1, 20_000);
  run.gate.open();
  expect(lastState(await quick.done)).toBe('TASK_STATE_COMPLETED');
  const resumed = await stream(
    api,
    'HTTP+JSON',
    'SubscribeToTask',
    { id },
    { 'Last-Event-ID': quick.frames[10]!.id! },
  );
  expect(resumed).toEqual(quick.frames.slice(11));
  for (const socket of stuck) socket.destroy();
}, 60_000);

test('C12 one caller has a bounded number of streams; one too many is refused at open and starts nothing', async () => {
  const small = await startTestApi({ settings: { maxStreamsPerCaller: 2 } });
  try {
    const gone = new AbortController();
    const open = [1, 2].map(() =>
      openStream(small, 'HTTP+JSON', 'SendStreamingMessage', sendParams('gate'), {}, gone.signal),
    );
    await Promise.all(open.map((frames) => frames.next()));
    const refused = await call(small, 'HTTP+JSON', 'SendStreamingMessage', sendParams('gate'));
    expect(refused.error).toMatchObject({ code: 429 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(small, 'JSON-RPC', 'SendStreamingMessage', sendParams('gate'))).error?.code).toBe(
      -32603,
    );
    expect(small.worker.runCount).toBe(2);
    // A tenant is a namespace: to name another one makes no other caller.
    const elsewhere = { ...sendParams('gate'), tenant: 'b' };
    expect((await call(small, 'HTTP+JSON', 'SendStreamingMessage', elsewhere)).error?.code).toBe(429);
    gone.abort();
    await eventually(() => small.app.openStreams === 0);
    const again = await stream(small, 'HTTP+JSON', 'SendStreamingMessage', sendParams('hello'));
    expect(lastState(again)).toBe('TASK_STATE_COMPLETED');
  } finally {
    await small.close();
  }
});

test('F09 shutdown ends streams with a hint when to come back, and answers who waits', async () => {
  const own = await startTestApi({ settings: { reconnectMs: 500 } });
  const blocked = call(own, 'JSON-RPC', 'SendMessage', sendParams('gate'));
  const streaming = await send(own, 'HTTP+JSON', 'SendStreamingMessage', sendParams('gate'));
  await eventually(() => own.worker.runCount === 2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  own.app.close();
  expect((await blocked).result.task.status.state).toBe('TASK_STATE_WORKING');
  const text = await streaming.text();
  const hint = /\nretry: (\d+)\n$/.exec(text);
  expect(Number(hint?.[1])).toBeGreaterThanOrEqual(500);
  const refused = await call(own, 'HTTP+JSON', 'SendStreamingMessage', sendParams('hello'));
  expect(refused.error?.code).toBe(503);
  expect(own.worker.runCount).toBe(2);
  await own.close();
});

test('B08 a stream whose journal fails breaks off, so that the client resumes it', async () => {
  let broken = false;
  const own = await startTestApi({
    wrapJournal: (journal) =>
      withMethods(journal, {
        readEvents: (...args) =>
          broken ? Promise.reject(new Error('disk I/O error')) : journal.readEvents(...args),
      }),
  });
  try {
    const reader = collect(openStream(own, 'HTTP+JSON', 'SendStreamingMessage', sendParams('gate')));
    await eventually(() => reader.frames.length >= 2);
    const { id } = (reader.frames[0]!.event as { task: Task }).task;
    broken = true;
    await own.worker.run(id).fragment('a', 'x', false);
    await expect(reader.done).rejects.toThrow();
    await eventually(() => own.app.openStreams === 0 && own.app.service.openReaders === 0);
    broken = false;
    const resumed = collect(
      openStream(own, 'HTTP+JSON', 'SubscribeToTask', { id }, { 'Last-Event-ID': '2' }),
    );
    await eventually(() => resumed.frames.length === 1);
    own.worker.run(id).gate.open();
    expect(ids(await resumed.done)).toEqual([3, 4, 5]);
  } finally {
    await own.close();
  }
});
