import fc from 'fast-check';
import {
  TASK_STATES,
  type Artifact,
  type Json,
  type Message,
  type Metadata,
  type Part,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '../../core/task.js';

/** Everything that the journal may hold and a dialect has to say, odd keys and values included. */

const key = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '$x'),
);

/** By JSON, so that `__proto__` is a key of its own as it is when it comes over the wire. */
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false, '', 0),
    fc.integer(),
    fc.string({ maxLength: 12, unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

const metadata: fc.Arbitrary<Metadata> = fc
  .array(fc.tuple(key, json), { minLength: 1, maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));

const text = fc.string({ maxLength: 20, unit: 'grapheme' });
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const id = fc.uuid();
const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const common = {
  metadata,
  filename: word.map((name) => `${name}.bin`),
  mediaType: fc.constantFrom('text/plain', 'application/json', 'image/png'),
};
const optional = { requiredKeys: [] as [] };

function partOf<T>(content: fc.Arbitrary<T>): fc.Arbitrary<T & Partial<Part>> {
  return fc.tuple(content, fc.record(common, optional)).map(([one, more]) => ({ ...one, ...more }));
}

export const part: fc.Arbitrary<Part> = fc.oneof(
  partOf(fc.record({ text })),
  partOf(fc.record({ raw: fc.uint8Array({ maxLength: 40 }).map((b) => Buffer.from(b).toString('base64')) })),
  partOf(fc.record({ url: fc.webUrl() })),
  partOf(fc.record({ data: json })),
);

const parts = fc.array(part, { minLength: 1, maxLength: 4 });

export const message: fc.Arbitrary<Message> = fc.record(
  {
    messageId: id,
    role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT'),
    parts,
    contextId: id,
    taskId: id,
    metadata,
    extensions: fc.array(fc.webUrl(), { minLength: 1, maxLength: 2 }),
    referenceTaskIds: fc.array(id, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['messageId', 'role', 'parts'] },
);

const artifact: fc.Arbitrary<Artifact> = fc.record(
  { artifactId: id, name: text, description: text, parts, metadata },
  { requiredKeys: ['artifactId', 'parts'] },
);

const status: fc.Arbitrary<TaskStatus> = fc.record(
  { state: fc.constantFrom(...TASK_STATES), timestamp: time, message },
  { requiredKeys: ['state', 'timestamp'] },
);

export const task: fc.Arbitrary<Task> = fc.record(
  {
    id,
    contextId: id,
    status,
    history: fc.array(message, { minLength: 1, maxLength: 3 }),
    artifacts: fc.array(artifact, { minLength: 1, maxLength: 3 }),
    metadata,
  },
  { requiredKeys: ['id', 'contextId', 'status'] },
);

const statusUpdate: fc.Arbitrary<StreamResponse> = fc
  .record(
    { taskId: id, contextId: id, status, metadata },
    { requiredKeys: ['taskId', 'contextId', 'status'] },
  )
  .map((update) => ({ statusUpdate: update }));

const artifactUpdate: fc.Arbitrary<StreamResponse> = fc
  .record({ taskId: id, contextId: id, artifact, append: fc.boolean(), lastChunk: fc.boolean() })
  .map((update) => ({ artifactUpdate: update }));

export const event: fc.Arbitrary<StreamResponse> = fc.oneof(
  statusUpdate,
  artifactUpdate,
  task.map((one) => ({ task: one })),
  message.map((one) => ({ message: one })),
);
