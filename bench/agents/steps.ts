import { defineAgent } from '../../index.js';
import type * as own from './steps.activities.js';

/** A long job: `STEPS` steps, each an activity, a word of progress and a checkpoint. */
export default defineAgent({
  code: 'steps',
  card: {
    name: 'Steps',
    description: 'Works in many checkpointed steps',
    skills: [{ id: 'work', name: 'Work', description: 'Works in steps', tags: ['bench'] }],
  },
  async run(task) {
    const activities = task.activities<typeof own>();
    const steps = Number(task.text);
    for (let step = Number(task.checkpointed ?? 0); step < steps; step += 1) {
      await activities.work(step);
      await task.working(`step ${step + 1} of ${steps}`);
      await task.checkpoint(step + 1);
    }
    await task.complete('done');
  },
});
