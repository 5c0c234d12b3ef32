import { defineAgent } from '../../index.js';

/** Completes at once: what is measured is the server. */
export default defineAgent({
  code: 'trivial',
  card: {
    name: 'Trivial',
    description: 'Completes at once',
    skills: [{ id: 'complete', name: 'Complete', description: 'Completes at once', tags: ['bench'] }],
  },
  async run(task) {
    await task.complete('done');
  },
});
