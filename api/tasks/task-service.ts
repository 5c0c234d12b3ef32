import { setMaxListeners } from 'node:events';
import { A2AError, taskNotFound } from '../../core/errors.js';
import type { Artifact, Task } from '../../core/task.js';
import { Hub } from '../../journal/hub.js';
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  SendRequest,
  SendResult,
  SubscribeRequest,
  TaskList,
} from '../../wire/requests.js';
import { acceptSend, type AcceptanceDeps } from './acceptance.js';
import { scopeOf, type Call } from './call.js';
import { createPushService, type PushService } from './push.js';
import { holdMs, streamSend, streamTask } from './streaming.js';
import type { EventStream } from './task-stream.js';
import { untilFirstAct, untilSettled, untilTerminal, type WaitingDeps } from './waiting.js';

/**
 * The operations of A2A (specification section 3.1) in the core model's words: one service behind every
 * binding and dialect. Each method throws `A2AError`.
 */
export interface TaskService {
  sendMessage(call: Call, request: SendRequest): Promise<SendResult>;
  /** Resolves when the first frame is known, so that earlier errors are ordinary answers (B09). */
  sendStreamingMessage(call: Call, request: SendRequest): Promise<EventStream>;
  getTask(call: Call, request: GetTaskRequest): Promise<Task>;
  listTasks(call: Call, request: ListTasksRequest): Promise<TaskList>;
  cancelTask(call: Call, request: CancelTaskRequest): Promise<Task>;
  subscribeToTask(call: Call, request: SubscribeRequest): Promise<EventStream>;
  /** One artifact by its address (A18). */
  getArtifact(call: Call, request: ArtifactRequest): Promise<Artifact>;
  /** Who is told of a task by HTTP, and how far they have come. */
  readonly push: PushService;
  /** Readers that are open now: zero at rest. */
  readonly openReaders: number;
  /** Ends every stream, and every wait with the task as it is. */
  close(): void;
}

export interface ArtifactRequest {
  contextId: string;
  taskId: string;
  artifactId: string;
}

export type TaskServiceDeps = AcceptanceDeps & Omit<WaitingDeps, 'hub' | 'stopping'>;

export function createTaskService(given: TaskServiceDeps): TaskService {
  const { journal, deliver, settings } = given;
  const hub = new Hub(journal);
  const stopping = new AbortController();
  // Every open reader listens to it until it leaves; Node.js would take more than ten for a leak.
  setMaxListeners(0, stopping.signal);
  const deps = { ...given, hub, stopping: stopping.signal };

  async function readTask(call: Call, taskId: string, historyLength?: number): Promise<Task> {
    call.taskId = taskId;
    const stored = await journal.read(
      scopeOf(call),
      taskId,
      historyLength === undefined ? {} : { historyLength },
    );
    if (stored === undefined) throw taskNotFound(taskId);
    return stored.task;
  }

  /** A repeatable cancel of a task that was canceled before gives that task, where others are refused (D02). */
  async function requestCancel(call: Call, id: string, repeatable: boolean) {
    try {
      return await journal.requestCancel(scopeOf(call), id);
    } catch (error) {
      if (!repeatable || !(error instanceof A2AError) || error.code !== 'TASK_NOT_CANCELABLE') throw error;
      const canceled = await readTask(call, id);
      if (canceled.status.state !== 'TASK_STATE_CANCELED') throw error;
      return { canceled };
    }
  }

  return {
    async sendMessage(call, request) {
      const accepted = await acceptSend(deps, call, request);
      const since = performance.now();
      if (!accepted.visible) {
        const held = await untilFirstAct(deps, accepted, { signal: call.signal, holdMs: holdMs(deps, call) });
        if (held?.message !== undefined) return { message: held.message };
      }
      if (!request.returnImmediately) {
        const workerWaitMs = Math.max(0, settings.workerWaitMs - (performance.now() - since));
        await untilSettled(deps, accepted, { signal: call.signal, workerWaitMs });
      }
      const { shownHistory = request.options.historyLength } = request;
      return { task: await readTask(call, accepted.taskId, shownHistory) };
    },

    sendStreamingMessage: (call, request) => streamSend(deps, call, request),

    getTask: (call, { id, historyLength }) => readTask(call, id, historyLength),

    async listTasks(call, { tenant: _, ...query }) {
      const page = await journal.list({ scope: scopeOf(call), ...query });
      return { ...page, pageSize: query.pageSize };
    },

    async cancelTask(call, { id, repeatable = false }) {
      call.taskId = id;
      const requested = await requestCancel(call, id, repeatable);
      if ('canceled' in requested) return requested.canceled;
      const { seq, commands } = requested;
      if (commands.length > 0) deliver(commands);
      // Not ended by a client that goes: the task has to end either way.
      if (!(await untilTerminal(deps, { taskId: id, after: seq, ms: settings.cancelWaitMs }))) {
        const closed = await journal.closeTask(id, 'TASK_STATE_CANCELED');
        if (closed.commands.length > 0) deliver(closed.commands);
      }
      const task = await readTask(call, id);
      if (task.status.state === 'TASK_STATE_CANCELED') return task;
      throw new A2AError('TASK_NOT_CANCELABLE', 'The task ended before it could be canceled', {
        metadata: { taskId: id },
      });
    },

    subscribeToTask: (call, request) => streamTask(deps, call, request),

    async getArtifact(call, { contextId, taskId, artifactId }) {
      call.taskId = taskId;
      const scope = scopeOf(call);
      const stored = await journal.read(scope, taskId, { historyLength: 0, artifacts: false });
      if (stored?.task.contextId !== contextId) throw taskNotFound(taskId);
      const artifact = await journal.readArtifact(scope, taskId, artifactId);
      if (artifact === undefined) throw new A2AError('NOT_FOUND', 'The task has no such artifact');
      return artifact;
    },

    push: createPushService(deps),

    get openReaders() {
      return hub.counts.readers;
    },

    close: () => stopping.abort(),
  };
}
