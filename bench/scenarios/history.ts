import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { SendResult } from '../load/unary.js';
import type { Scenario } from '../scenario.js';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

export const history: Scenario = {
  name: 'history',
  title: 'History of a long job',
  limit: 'Each step is an activity, a status and the workflow task between them.',
  async run(stack) {
    const load = await stack.load();
    const product = await stack.product('start');
    const { address } = await stack.temporal();
    const connection = await Connection.connect({ address });
    const client = new Client({ connection });
    const finish = async (agent: string, text: string): Promise<HistoryEvent[]> => {
      const { taskIds } = await load.call<SendResult>('send', {
        url: product.url(agent),
        text,
        expect: 'TASK_STATE_COMPLETED',
        concurrency: 1,
        count: 1,
      });
      return allEvents(client, taskIds[0] ?? '');
    };
    try {
      const steps = stack.size(1_000, 10);
      const job = await finish('steps', String(steps));
      const turns = stack.size(60, 6);
      const [early, late] = bytesPerTurn(await finish('turns', String(turns)), turns / 3);
      return [
        {
          what: `events a step, ${steps} steps`,
          unit: 'events',
          ours: job.length / steps,
          target: { atMost: 8 },
        },
        { what: 'bytes a step', unit: 'bytes', ours: bytes(job) / steps },
        {
          what: "bytes a model turn, 2,048 of them its tool's result",
          unit: 'bytes',
          ours: late,
          target: { atMost: 4_096 },
        },
        {
          what: `bytes a model turn, last third of ${turns} against the first`,
          unit: 'bytes',
          ours: late,
          peer: { name: 'ours, first third', value: early },
          ratio: late / early,
          target: { atMost: 1.05 },
        },
      ];
    } finally {
      await connection.close();
    }
  },
};

/** Of all the runs that the task went through. */
async function allEvents(client: Client, workflowId: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  let runId = (await client.workflow.getHandle(workflowId).describe()).raw.workflowExecutionInfo?.firstRunId;
  while (runId) {
    const { events: ofRun } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    events.push(...(ofRun ?? []));
    runId = ofRun?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return events;
}

/** Bytes of history between model calls, in the first and in the last `turns` of them. */
function bytesPerTurn(events: HistoryEvent[], turns: number): [early: number, late: number] {
  const calls = events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }, index) =>
    scheduled?.activityType?.name === 'generate' ? [index] : [],
  );
  // The very first call brings the prompt and no tool's result, so it is not like the others.
  const early = events.slice(calls[1], calls[1 + turns]);
  const late = events.slice(calls.at(-1 - turns), calls.at(-1));
  return [bytes(early) / turns, bytes(late) / turns];
}

function bytes(events: HistoryEvent[]): number {
  return events.reduce(
    (sum, event) => sum + proto.temporal.api.history.v1.HistoryEvent.encode(event).finish().length,
    0,
  );
}
