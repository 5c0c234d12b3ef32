import type { Scenario } from '../scenario.js';
import { blockingSend } from './blocking-send.js';
import { dialects } from './dialects.js';
import { fanOut } from './fan-out.js';
import { getTaskScenario } from './get-task.js';
import { history } from './history.js';
import { listTasksScenario } from './list-tasks.js';
import { parked } from './parked.js';
import { returnImmediately } from './return-immediately.js';
import { tokenLatency } from './token-latency.js';
import { webhooks } from './webhooks.js';
import { workerKill } from './worker-kill.js';

/** In the order of the report. */
export const SCENARIOS: readonly Scenario[] = [
  blockingSend,
  returnImmediately,
  dialects,
  tokenLatency,
  fanOut,
  getTaskScenario,
  listTasksScenario,
  parked,
  history,
  webhooks,
  workerKill,
];
