import {
  type ActivityCalls,
  AskTimeout,
  contentToMessage,
  type ActivityCallOptions,
  type AskOptions,
  type Content,
  type Generated,
  type GenerateOptions,
  type Schema,
  type TaskContext,
} from '../agent.js';
import { toMillis } from '../duration.js';
import { prefixedId } from '../ids.js';
import type { AppendResult, Entry } from '../journal.js';
import { checkBySchema, type OutputSchema } from '../output.js';
import { INTERMEDIATE_THINKING } from '../record.js';
import { type Json, type Message, textOf } from '../task.js';
import { AgentEnding, reportOf } from './endings.js';
import { agentCalls } from './agent-call.js';
import { generate } from './generate.js';
import type { Session } from './session.js';
import { canBeCarried, checkInput } from './size.js';

const HOUR = 3_600_000;

/** The task as the agent's `run` sees it; every method is documented on {@link TaskContext}. */
export function createTaskContext(session: Session): TaskContext {
  const { state, runtime, publisher, agent } = session;
  const { start } = state;

  /** Marks an agent call as in flight, so that no checkpoint leaves it behind. */
  async function during<T>(work: () => Promise<T>): Promise<T> {
    session.busy += 1;
    try {
      return await work();
    } finally {
      session.busy -= 1;
    }
  }
  const publish = (entries: Entry[]): Promise<AppendResult> => during(() => publisher.publish(entries));
  const artifactId = (): string => prefixedId('art', runtime.now(), runtime.uuid());

  async function askMessage(question: Content, options: AskOptions = {}): Promise<Message> {
    const message = contentToMessage(question);
    const reply = await during(() =>
      session.ask(
        {
          kind: 'status',
          state: 'TASK_STATE_INPUT_REQUIRED',
          message,
          ...(options.metadata && { metadata: options.metadata }),
        },
        options.timeout === undefined ? undefined : toMillis(options.timeout),
      ),
    );
    if (!reply) throw new AskTimeout();
    return reply;
  }

  /** Parts over 64 KiB come as references; most messages have none. */
  async function read(message: Message): Promise<Message> {
    const whole = message.parts.every((part) => !('blob' in part));
    return whole ? message : during(() => runtime.readMessage(message.messageId));
  }

  /** Closing entries of what was streamed and is not the answer (B04). */
  function closeOthers(except?: string): Entry[] {
    const others = state.openArtifacts.filter((id) => id !== except);
    state.openArtifacts = [];
    return others.map((id) => ({ kind: 'close', artifactId: id, metadata: { type: INTERMEDIATE_THINKING } }));
  }

  function answerEntries(answer: Content | Generated | undefined, name: string): Entry[] {
    if (answer === undefined) return closeOthers();
    if (isGenerated(answer)) {
      if (answer.artifactId !== undefined && state.openArtifacts.includes(answer.artifactId)) {
        return [...closeOthers(answer.artifactId), { kind: 'close', artifactId: answer.artifactId }];
      }
      return [...closeOthers(), whole(artifactId(), contentOf(answer), { name })];
    }
    return [...closeOthers(), whole(artifactId(), answer, { name })];
  }

  const context: TaskContext = {
    id: start.taskId,
    contextId: start.contextId,
    message: start.message,
    text: textOf(start.message),
    metadata: { ...start.options.metadata, ...start.message.metadata },
    acceptedOutputModes: start.options.acceptedOutputModes ?? [],
    checkpointed: state.checkpoint?.state,
    now: () => runtime.now(),
    uuid: () => runtime.uuid(),
    read: (message = start.message) => read(message),
    references: () => during(() => runtime.readTasks(start.message.referenceTaskIds ?? [])),
    async conversation() {
      const messages = await during(() => runtime.readConversation());
      return messages.slice(Math.max(0, messages.length - (start.options.historyLength ?? messages.length)));
    },

    async working(content, metadata) {
      await publish([
        {
          kind: 'status',
          state: 'TASK_STATE_WORKING',
          message: contentToMessage(content),
          ...(metadata && { metadata }),
        },
      ]);
    },
    ask: async (question, options) => textOf(await read(await askMessage(question, options))),
    askMessage,
    async askFor<T>(question: Content, schema: Schema<T>, options?: AskOptions): Promise<T> {
      let next: Content = question;
      for (;;) {
        const outcome = checkBySchema(schema, dataOf(await read(await askMessage(next, options))));
        if ('value' in outcome) return outcome.value;
        next = [...contentToMessage(question).parts, { text: `That does not fit: ${outcome.problem}` }];
      }
    },
    async requireAuth(request) {
      const millis = toMillis(request.timeout ?? HOUR);
      const data = {
        connector: request.connector,
        url: request.url,
        expiresAt: new Date(runtime.now() + millis).toISOString(),
      };
      const text = `${data.connector} needs your authorisation at ${data.url} before ${data.expiresAt}.`;
      await during(() =>
        session.requireAuth(
          request.connector,
          { kind: 'status', state: 'TASK_STATE_AUTH_REQUIRED', message: { parts: [{ text }, { data }] } },
          millis,
        ),
      );
    },
    received: () => state.inbox.splice(0).map((delivery) => delivery.message),
    receive: (options = {}) =>
      during(async () => {
        const millis = options.timeout === undefined ? undefined : toMillis(options.timeout);
        if (!(await runtime.until(() => state.inbox.length > 0, millis))) throw new AskTimeout();
        const [delivery] = state.inbox.splice(0, 1);
        if (!delivery) throw new AskTimeout();
        return delivery.message;
      }),

    async artifact({ artifactId: id = artifactId(), append = false, content, ...details }) {
      const result = await publish([whole(id, content, details, append)]);
      return result.artifactIds[id] ?? id;
    },
    stream(options = {}) {
      let id = artifactId();
      let begun = false;
      let open = false;
      // Of an artifact that a pause has closed as thinking, too: the author's word is the last.
      const close = async (): Promise<void> => {
        if (!open) return;
        open = false;
        state.openArtifacts = state.openArtifacts.filter((other) => other !== id);
        await publish([{ kind: 'close', artifactId: id }]);
      };
      return agentCalls(session, {
        get artifactId() {
          return id;
        },
        async write(text) {
          const append = begun;
          begun = open = true;
          if (!state.openArtifacts.includes(id)) state.openArtifacts.push(id);
          const artifact = { artifactId: id, parts: [{ text }], ...(append ? {} : options) };
          const result = await publish([{ kind: 'artifact', artifact, append, lastChunk: false }]);
          const recorded = result.artifactIds[id];
          if (recorded === undefined || recorded === id) return;
          state.openArtifacts = state.openArtifacts.map((other) => (other === id ? recorded : other));
          id = recorded;
        },
        close,
      });
    },
    generate: <T>(options: GenerateOptions & { output?: OutputSchema<T> }) =>
      during(() => generate(session, options)),
    activities<T>(options: ActivityCallOptions = {}): ActivityCalls<T> {
      const call = (name: string) => (input?: Json) =>
        during(() => {
          checkInput(input, 'The input of an activity');
          return runtime.activity(`${agent.code}.${name}`, input, options);
        });
      const calls = new Proxy({} as ActivityCalls<T>, {
        // A proxy that seems to have `then` would be called by `await`.
        get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : call(name)),
      });
      return agentCalls(session, calls);
    },
    sleep: (duration) => during(() => runtime.sleep(toMillis(duration))),
    background(description, work) {
      const id = Math.max(0, ...session.background.keys()) + 1;
      const announce = (): Promise<unknown> =>
        publisher.publish([
          {
            kind: 'status',
            state: 'TASK_STATE_WORKING',
            metadata: {
              $backgroundTasks: [...session.background].map(([key, text]) => ({
                id: String(key),
                description: text,
              })),
            },
          },
        ]);
      session.background.set(id, description);
      announce().catch(() => undefined);
      void work()
        .catch((error: unknown) => {
          runtime.log('error', 'background work failed', { description, error: reportOf(error) });
        })
        .then(async () => {
          session.background.delete(id);
          await announce().catch(() => undefined);
        });
    },

    async checkpoint(next) {
      checkInput(next, 'A checkpoint');
      state.checkpoint = { state: next };
      const alone = session.busy === 0 && session.background.size === 0;
      // With too much that is unread the old history has to do for now.
      if (alone && runtime.historyFull() && canBeCarried(state)) {
        await session.handOver();
      }
    },
    async complete(answer, options = {}) {
      if (session.background.size > 0) await session.backgroundDone();
      const message = options.message === undefined ? undefined : contentToMessage(options.message);
      await publish([
        ...answerEntries(answer, options.name ?? 'answer'),
        ...session.terminal('TASK_STATE_COMPLETED', message, options.metadata),
      ]);
    },
    async reply(content, metadata) {
      await publish([{ kind: 'message', message: contentToMessage(content, metadata) }]);
    },
    reject(reason) {
      throw new AgentEnding('TASK_STATE_REJECTED', reason);
    },
    fail(reason) {
      throw new AgentEnding('TASK_STATE_FAILED', reason);
    },
  };
  return agentCalls(session, context);
}

/** An answer of an asked form is data; as the model gave it, since what a schema made of it need not be JSON. */
function contentOf(answer: Generated): Content {
  return 'output' in answer ? [{ data: JSON.parse(answer.text) as Json }] : answer.text;
}

function isGenerated(answer: Content | Generated): answer is Generated {
  return typeof answer === 'object' && !Array.isArray(answer);
}

/** An artifact that is complete as it is. */
function whole(
  artifactId: string,
  content: Content,
  details: { name?: string; description?: string; metadata?: { [key: string]: Json } },
  append = false,
): Entry {
  const { parts } = contentToMessage(content);
  return { kind: 'artifact', artifact: { artifactId, parts, ...details }, append, lastChunk: true };
}

/** The data of a reply: its first data part, else its text as JSON, else its text. */
function dataOf(message: Message): Json {
  for (const part of message.parts) if ('data' in part) return part.data;
  const text = textOf(message);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
