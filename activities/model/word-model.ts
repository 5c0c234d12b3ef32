import { setTimeout as delay } from 'node:timers/promises';
import type { Model, ModelRequest, StreamPart } from './model.js';
import type { ScriptedTurn } from './script.js';

export interface WordModelOptions {
  modelId: string;
  /** Milliseconds from word to word. Default 0. */
  delayMillis?: number;
}

/** A model made of a function: it streams the turn that the function gives, word by word, each a token. */
export function wordModel(
  { modelId, delayMillis = 0 }: WordModelOptions,
  turn: (request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>,
): Model {
  return {
    specificationVersion: 'v3',
    provider: 'words',
    modelId,
    supportedUrls: {},
    async doStream(request) {
      const parts = streamParts(request, await turn(request));
      return { stream: paced(parts, delayMillis, request.abortSignal) };
    },
    doGenerate: () => Promise.reject(new Error(`${modelId} only streams`)),
  };
}

function streamParts({ prompt }: ModelRequest, { say, calls }: ScriptedTurn): StreamPart[] {
  const words = say.match(/\s*\S+/g) ?? [];
  const turnNumber = turnsTaken(prompt) + 1;
  const inputTokens = JSON.stringify(prompt).split(/\s+/).length;
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 'text' },
    ...words.map((word) => ({ type: 'text-delta' as const, id: 'text', delta: word })),
    { type: 'text-end', id: 'text' },
    ...calls.map(({ name, input }, i) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${turnNumber}-${i + 1}`,
      toolName: name,
      input: JSON.stringify(input),
    })),
    {
      type: 'finish',
      finishReason:
        calls.length > 0 ? { unified: 'tool-calls', raw: 'tool-calls' } : { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: words.length, text: words.length, reasoning: 0 },
      },
    },
  ];
}

/** The model's turns since the newest question: it keeps no state of its own. */
export function turnsTaken(prompt: ModelRequest['prompt']): number {
  const question = prompt.findLastIndex((message) => message.role === 'user');
  return prompt.slice(question + 1).filter((message) => message.role === 'assistant').length;
}

/** The text of the system instructions, or of the newest user message. */
export function promptText(prompt: ModelRequest['prompt'], role: 'system' | 'user'): string {
  const content = prompt.findLast((message) => message.role === role)?.content ?? '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Words come at a steady pace, however long each takes to be read. An abort breaks the stream off. */
function paced(
  parts: StreamPart[],
  delayMillis: number,
  signal: AbortSignal | undefined,
): ReadableStream<StreamPart> {
  const started = performance.now();
  let words = 0;
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      signal?.throwIfAborted();
      const part = parts.shift();
      if (part === undefined) {
        controller.close();
        return;
      }
      if (part.type === 'text-delta' && delayMillis > 0) {
        words += 1;
        const wait = started + words * delayMillis - performance.now();
        if (wait > 0) await delay(wait, undefined, signal && { signal });
      }
      controller.enqueue(part);
    },
  });
}
