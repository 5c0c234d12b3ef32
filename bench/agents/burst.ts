import { defineAgent } from '../../index.js';

/** Says so many words of progress, then completes. */
export default defineAgent({
  code: 'burst',
  card: {
    name: 'Burst',
    description: 'Reports progress many times',
    skills: [{ id: 'burst', name: 'Burst', description: 'Reports progress', tags: ['bench'] }],
  },
  async run(task) {
    for (let n = 1; n <= Number(task.text); n += 1) await task.working(`step ${n}`);
    await task.complete('done');
  },
});
