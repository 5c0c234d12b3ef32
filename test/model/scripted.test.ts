import { expect, test } from 'vitest';
import { createModels } from '../../activities/model/models.js';
import { parseScript } from '../../activities/model/script.js';
import { openTurns, readerText } from './turns.js';

test('E02 without configuration the scripted demo model is the default, says what it is, and repeats itself', async () => {
  const turns = await openTurns(createModels());
  const first = await turns.attempt({ prompt: [{ text: 'Are you there?' }] }).result;
  expect(first.text).toContain('“Are you there?”');
  expect(first.text).toContain('scripted demo model');
  expect(first).toMatchObject({ finishReason: 'stop', usage: { model: 'scripted-demo' } });
  expect(readerText(await turns.updates())).toBe(first.text);
  const again = await turns.attempt({ prompt: [{ text: 'Are you there?' }], activityId: '6' }).result;
  expect(again.text).toBe(first.text);
});

test('E02 a script in the instructions goes before one in the prompt', async () => {
  const turns = await openTurns(createModels());
  const prompt = [{ text: 'say: from the prompt' }];
  expect((await turns.attempt({ prompt }).result).text).toBe('from the prompt');
  const both = turns.attempt({ prompt, system: 'say: as told, {prompt}', activityId: '6' });
  expect((await both.result).text).toBe('as told, say: from the prompt');
});

test('E02 the script goes on after the tools of each turn', async () => {
  const turns = await openTurns(createModels());
  const system = 'say: Looking.\ntool: a {"x":1}\ntool: b\nsay: Found {result}.';
  const first = await turns.attempt({ system }).result;
  expect(first).toMatchObject({
    text: 'Looking.',
    finishReason: 'tool-calls',
    toolCalls: [
      { name: 'a', input: { x: 1 } },
      { name: 'b', input: {} },
    ],
  });
  const toolResults = first.toolCalls.map(({ id, name }) => ({ id, name, output: `${name}!` }));
  const second = await turns.attempt({ system, position: first.nextPosition, toolResults, activityId: '6' })
    .result;
  expect(second).toMatchObject({ text: 'Found b!.', finishReason: 'stop', toolCalls: [] });
});

test('E02 the scripted demo model keeps its pace, a word a token', async () => {
  const turns = await openTurns(createModels({ scriptedDelayMillis: 10 }));
  const began = performance.now();
  const { usage } = await turns.attempt({ prompt: [{ text: 'words: 30' }] }).result;
  const took = performance.now() - began;
  expect(usage.outputTokens).toBe(30);
  // Timers may be a millisecond early, and late on a busy machine.
  expect(took).toBeGreaterThan(290);
  expect(took).toBeLessThan(3_000);
  expect((await turns.updates()).length).toBeGreaterThan(5);
});

test('E02 A16 a cancel stops the scripted demo model in the middle', async () => {
  const turns = await openTurns(createModels({ scriptedDelayMillis: 50 }));
  const { result, environment } = turns.attempt({ prompt: [{ text: 'words: 1000' }] });
  setTimeout(() => environment.cancel(), 120);
  const began = performance.now();
  await expect(result).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(performance.now() - began).toBeLessThan(1_000);
});

test('the script language', () => {
  expect(parseScript('Tell me a story')).toBeUndefined();
  expect(parseScript('hello\nsay: one\n  say: two\ntool: t {"a":[1]}\nsay: three')).toEqual([
    { say: 'one two', calls: [{ name: 't', input: { a: [1] } }] },
    { say: 'three', calls: [] },
  ]);
  expect(parseScript('words: 3')).toEqual([{ say: 'word1 word2 word3', calls: [] }]);
  expect(() => parseScript('tool: t {oops')).toThrow("tool input of 'tool: t {oops'");
});

test('E02 asked for a form the scripted demo model gives the least that fits, so that agents run offline', async () => {
  const turns = await openTurns(createModels());
  const schema = {
    type: 'object',
    properties: {
      kind: { enum: ['a', 'b'] },
      name: { type: 'string', minLength: 6 },
      stops: {
        type: 'array',
        minItems: 2,
        items: { type: 'object', properties: { day: { type: 'integer', minimum: 3 } } },
      },
      guide: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    },
    required: ['kind', 'name', 'stops', 'guide'],
  };
  const result = await turns.attempt({ output: { schema } }).result;
  expect(result).not.toHaveProperty('problem');
  expect(JSON.parse(result.text)).toEqual({
    kind: 'a',
    name: 'demo..',
    stops: [{ day: 3 }, { day: 3 }],
    guide: true,
  });
});
