import { randomUUID } from 'node:crypto';
import { A2AError } from '../../core/errors.js';
import { prefixedId } from '../../core/ids.js';
import type { JournalReads } from '../../core/journal.js';
import type { PushConfig } from '../../core/push.js';
import type { StreamResponse, Task } from '../../core/task.js';
import type { SendRequest } from '../../wire/requests.js';
import { scopeOf, type Call } from './call.js';
import type { TaskService } from './task-service.js';
import type { EventStream } from './task-stream.js';

interface ChosenIdsDeps {
  journal: Pick<JournalReads, 'resolveAlias' | 'aliasOf' | 'readAny'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/**
 * The service for a dialect whose callers choose their tasks' ids (D03). On the way in such an id becomes the
 * server's, on the way out it is the other way round; a task that has none keeps the server's. An artifact's
 * id in an event becomes its index in the task. Cancel shows no history, since it cannot be asked for any.
 */
export function withChosenIds(service: TaskService, deps: ChosenIdsDeps): TaskService {
  const { journal, clock } = deps;

  /** Does what is asked of the task with the server's id; what it throws names the id that was asked for. */
  async function on<T>(call: Call, id: string, work: (taskId: string) => Promise<T>): Promise<T> {
    return translating(id, async () => work((await journal.resolveAlias(scopeOf(call), id)) ?? id));
  }

  async function shown(task: Task): Promise<Task> {
    return { ...task, id: (await journal.aliasOf(task.id)) ?? task.id };
  }

  async function shownStream(stream: EventStream): Promise<EventStream> {
    try {
      const alias = (await journal.aliasOf(stream.taskId)) ?? stream.taskId;
      const stored = await journal.readAny(stream.taskId, { historyLength: 0 });
      const artifacts = stored?.task.artifacts?.map(({ artifactId }) => artifactId) ?? [];
      return translated(stream, alias, artifacts);
    } catch (error) {
      stream.close();
      throw error;
    }
  }

  /** Its messages have no ids, so that no two of them are ever taken for one. */
  function named(request: SendRequest): SendRequest {
    const messageId = prefixedId('msg', clock(), randomUUID());
    return { ...request, message: { ...request.message, messageId } };
  }

  return {
    async sendMessage(call, request) {
      const result = await translating(chosenId(request), () => service.sendMessage(call, named(request)));
      return 'task' in result ? { task: await shown(result.task) } : result;
    },
    sendStreamingMessage: (call, request) =>
      translating(chosenId(request), async () =>
        shownStream(await service.sendStreamingMessage(call, named(request))),
      ),
    getTask: (call, request) =>
      on(call, request.id, async (id) => shown(await service.getTask(call, { ...request, id }))),
    cancelTask: (call, request) =>
      on(call, request.id, async (id) => {
        const { history: _, ...task } = await shown(await service.cancelTask(call, { ...request, id }));
        return task;
      }),
    subscribeToTask: (call, request) =>
      on(call, request.id, async (id) =>
        shownStream(await service.subscribeToTask(call, { ...request, id })),
      ),
    push: {
      create: (call, request) =>
        on(call, request.taskId, async (taskId) =>
          withTaskId(await service.push.create(call, { ...request, taskId }), request.taskId),
        ),
      get: (call, request) =>
        on(call, request.taskId, async (taskId) =>
          withTaskId(await service.push.get(call, { ...request, taskId }), request.taskId),
        ),
      list: (call, request) => service.push.list(call, request),
      delete: (call, request) => service.push.delete(call, request),
      progress: (call, request) => service.push.progress(call, request),
    },
    listTasks: (call, request) => service.listTasks(call, request),
    getArtifact: (call, request) => service.getArtifact(call, request),
    get openReaders() {
      return service.openReaders;
    },
    close: () => service.close(),
  };
}

function withTaskId(config: PushConfig, taskId: string): PushConfig {
  return { ...config, taskId };
}

function chosenId({ continues }: SendRequest): string {
  return continues?.kind === 'alias' ? continues.alias : '';
}

/** What is thrown speaks of the task and of its context as the caller does. */
async function translating<T>(id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof A2AError)) throw error;
    const { code, message, violations, metadata, retryAfter } = error;
    throw new A2AError(code, message.replace('message.contextId', 'sessionId'), {
      violations: violations.map((violation) =>
        violation.field === 'message.contextId' ? { ...violation, field: 'sessionId' } : violation,
      ),
      metadata: 'taskId' in metadata ? { ...metadata, taskId: id } : metadata,
      ...(retryAfter !== undefined && { retryAfter }),
      cause: error,
    });
  }
}

/**
 * The stream's events with the chosen id. `artifacts` are the ids of those that have begun, in order; all that
 * begin later come by in the stream.
 */
function translated(stream: EventStream, taskId: string, artifacts: string[]): EventStream {
  const indexOf = (artifactId: string): string => {
    const known = artifacts.indexOf(artifactId);
    return String(known === -1 ? artifacts.push(artifactId) - 1 : known);
  };
  const translate = (event: StreamResponse): StreamResponse => {
    if ('task' in event) return { task: { ...event.task, id: taskId } };
    if ('statusUpdate' in event) return { statusUpdate: { ...event.statusUpdate, taskId } };
    if (!('artifactUpdate' in event)) return event;
    const { artifact } = event.artifactUpdate;
    const artifactId = indexOf(artifact.artifactId);
    return { artifactUpdate: { ...event.artifactUpdate, taskId, artifact: { ...artifact, artifactId } } };
  };
  return {
    taskId: stream.taskId,
    async next() {
      const events = await stream.next();
      return events?.map((stored) => ({ ...stored, event: translate(stored.event) }));
    },
    close: () => stream.close(),
  };
}
