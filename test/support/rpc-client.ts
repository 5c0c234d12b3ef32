import { randomUUID } from 'node:crypto';
import { createParser } from 'eventsource-parser';
import type { Json, Part, StreamResponse, Task } from '../../core/task.js';

export interface Frame {
  id: string | undefined;
  event: StreamResponse;
}

export interface RpcFailure {
  code: number;
  message: string;
  data?: { [key: string]: Json }[];
}

export type RpcAnswer<T> = { result: T; error?: undefined } | { result?: undefined; error: RpcFailure };

/** What a test says to an agent: text, or parts. */
export type Said = string | object[];

export interface SendFields {
  taskId?: string;
  contextId?: string;
  messageId?: string;
  referenceTaskIds?: string[];
  configuration?: object;
  metadata?: object;
}

export function sendParams(said: Said, fields: SendFields = {}): object {
  const { configuration, metadata, messageId = randomUUID(), ...message } = fields;
  const parts = typeof said === 'string' ? [{ text: said }] : said;
  return {
    message: { messageId, role: 'ROLE_USER', parts, ...message },
    ...(configuration && { configuration }),
    ...(metadata && { metadata }),
  };
}

/** A small A2A 1.0 JSON-RPC client for tests that look at the wire itself. */
export class RpcClient {
  constructor(
    readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  async call<T>(method: string, params: object, headers: Record<string, string> = {}): Promise<RpcAnswer<T>> {
    const response = await this.post(method, params, headers);
    return (await response.json()) as RpcAnswer<T>;
  }

  /** The result; throws where the answer is an error. */
  async ok<T>(method: string, params: object, headers: Record<string, string> = {}): Promise<T> {
    const answer = await this.call<T>(method, params, headers);
    if (answer.error) throw new Error(`${method}: ${answer.error.code} ${answer.error.message}`);
    return answer.result;
  }

  async send(said: Said, fields: SendFields = {}, headers: Record<string, string> = {}): Promise<Task> {
    const result = await this.ok<{ task: Task }>('SendMessage', sendParams(said, fields), headers);
    return result.task;
  }

  get(id: string): Promise<Task> {
    return this.ok<Task>('GetTask', { id });
  }

  /** Frames as they come, until the server ends the stream or the signal aborts it. */
  async *stream(
    method: string,
    params: object,
    { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): AsyncGenerator<Frame> {
    const response = await this.post(method, params, headers, signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const { error } = (await response.json()) as { error: RpcFailure };
      throw Object.assign(new Error(`${method}: ${error.code} ${error.message}`), error);
    }
    yield* frames(response);
  }

  async all(method: string, params: object, headers: Record<string, string> = {}): Promise<Frame[]> {
    const found: Frame[] = [];
    for await (const frame of this.stream(method, params, { headers })) found.push(frame);
    return found;
  }

  /** Polls until the task is in one of the states. */
  async until(id: string, states: string[], millis = 20_000): Promise<Task> {
    const end = Date.now() + millis;
    for (;;) {
      const task = await this.get(id);
      if (states.includes(task.status.state)) return task;
      if (Date.now() > end) throw new Error(`${id} is ${task.status.state}, not ${states.join(' or ')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  private post(
    method: string,
    params: object,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }),
      ...(signal && { signal }),
    });
  }
}

/** SSE frames of a JSON-RPC or HTTP+JSON stream. */
export async function* frames(response: Response): AsyncGenerator<Frame> {
  const ready: Frame[] = [];
  const parser = createParser({
    onEvent({ id, data }) {
      const body = JSON.parse(data) as { result?: StreamResponse; error?: RpcFailure } & StreamResponse;
      if (body.error) throw new Error(`in the stream: ${body.error.code} ${body.error.message}`);
      ready.push({ id, event: body.result ?? body });
    },
  });
  if (!response.body) return;
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    yield* ready.splice(0);
  }
}

/** Applies stream frames as a client would: what the reader's task looks like at the end. */
export function artifactTexts(found: Frame[]): Map<string, string> {
  const texts = new Map<string, string>();
  const textOf = (parts: Part[]): string => parts.map((part) => ('text' in part ? part.text : '')).join('');
  for (const { event } of found) {
    if ('task' in event) {
      texts.clear();
      for (const artifact of event.task.artifacts ?? [])
        texts.set(artifact.artifactId, textOf(artifact.parts));
    } else if ('artifactUpdate' in event) {
      const { artifact, append } = event.artifactUpdate;
      const before = append === true ? (texts.get(artifact.artifactId) ?? '') : '';
      texts.set(artifact.artifactId, before + textOf(artifact.parts));
    }
  }
  return texts;
}
