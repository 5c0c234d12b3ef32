import { expect, test } from 'vitest';
import type { Json } from '../../core/task.js';
import { API_KEY, modelsAt, openJournal, openTurns, serve, startTask } from './turns.js';

test('E02 the request speaks chat completions: key, model, instructions, prompt, data and settings', async () => {
  const server = await serve({ tokens: ['ok'] });
  const turns = await openTurns(modelsAt(server));
  await turns.attempt({ system: 'Be brief.', data: { rooms: 3 }, temperature: 0.5, maxOutputTokens: 9 })
    .result;
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${API_KEY}` },
    body: {
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      max_tokens: 9,
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Say something' },
            { type: 'text', text: '{"rooms":3}' },
          ],
        },
      ],
    },
  });
});

test('A11 A12 the model sees the earlier conversation of the context, newest n of it, or none', async () => {
  const server = await serve({ tokens: ['ok'] });
  const journal = await openJournal();
  await startTask(journal, 'task.earlier', 'ctx.shared', [{ text: 'My name is Ada' }]);
  await journal.append({
    taskId: 'task.earlier',
    prevKey: '',
    entries: [
      {
        kind: 'artifact',
        artifact: { artifactId: 'art.e', parts: [{ text: 'Hello Ada' }] },
        append: false,
        lastChunk: true,
      },
      { kind: 'status', state: 'TASK_STATE_COMPLETED' },
    ],
  });
  const turns = await openTurns(modelsAt(server), { journal }, { contextId: 'ctx.shared' });
  const asked = async (history: { include: boolean; length?: number }) => {
    await turns.attempt({ history, activityId: JSON.stringify(history) }).result;
    return server.requests.at(-1)?.body.messages.map(({ role, content }) => [role, content]);
  };
  const prompt = ['user', 'Say something'];
  expect(await asked({ include: true })).toEqual([
    ['user', 'My name is Ada'],
    ['assistant', 'Hello Ada'],
    prompt,
  ]);
  expect(await asked({ include: true, length: 1 })).toEqual([['assistant', 'Hello Ada'], prompt]);
  expect(await asked({ include: true, length: 0 })).toEqual([prompt]);
  expect(await asked({ include: false })).toEqual([prompt]);
});

test('C12 X33 a big part reaches the model whole, though the workflow only had its reference', async () => {
  const big = 'ä'.repeat(100_000);
  const server = await serve({ tokens: ['read'] });
  const journal = await openJournal();
  const accepted = await journal.accept({
    taskId: 'task.big',
    contextId: 'ctx.big',
    caller: { tenant: '', owner: 'anonymous' },
    agent: 'a',
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: big }] },
    options: {},
    visible: true,
  });
  const start = accepted.commands.find((command) => command.kind === 'start');
  const prompt = start?.kind === 'start' ? start.start.message.parts : [];
  expect(JSON.stringify(prompt).length).toBeLessThan(1_000);
  const turns = await openTurns(modelsAt(server), { journal });
  await turns.attempt({ taskId: 'task.big', prompt }).result;
  expect(server.requests[0]?.body.messages[0]?.content).toBe(big);
});

test('C11 X17 files go to the model as files, and a client’s URL is never fetched by this server', async () => {
  const server = await serve({ tokens: ['seen'] });
  const inside = await serve({ tokens: ['not to be reached'] });
  const turns = await openTurns(modelsAt(server));
  const picture = `${inside.baseURL}/picture.png`;
  await turns.attempt({
    prompt: [
      { text: 'Look' },
      { raw: 'iVBORw0KGgo=', mediaType: 'image/png' },
      { url: picture, mediaType: 'image/png' },
      { url: 'http://169.254.169.254/latest', filename: 'keys.txt' },
      { raw: Buffer.from('a,b\n1,2').toString('base64'), mediaType: 'text/csv' },
      { data: [1, null, { x: true }] },
    ],
  }).result;
  expect(server.requests[0]?.body.messages[0]?.content).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    { type: 'image_url', image_url: { url: picture } },
    { type: 'text', text: '[file keys.txt: http://169.254.169.254/latest]' },
    { type: 'text', text: 'a,b\n1,2' },
    { type: 'text', text: '[1,null,{"x":true}]' },
  ]);
  expect(inside.requests).toEqual([]);
});

test('E02 a tool result may be any JSON', async () => {
  const server = await serve({ tokens: ['ok'] });
  const turns = await openTurns(modelsAt(server));
  await turns.attempt().result;
  for (const output of [null, 0, false, [], { type: 'image' }] satisfies Json[]) {
    const activityId = JSON.stringify(output);
    await turns.attempt({ position: 2, activityId, toolResults: [{ id: 'c', name: 't', output }] }).result;
    expect(server.requests.at(-1)?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: activityId });
  }
});
