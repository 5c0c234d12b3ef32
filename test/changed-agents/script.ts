import { defineAgent } from '../../index.js';

/**
 * The negative control of the replay test: an agent under the code `script` that does something else first, as
 * a careless deploy would. Histories of the real one must not replay on it.
 */
export default defineAgent({
  code: 'script',
  card: {
    name: 'Script, changed',
    description: 'Sleeps before anything else',
    skills: [{ id: 'script', name: 'Script', description: 'Sleeps', tags: ['test'] }],
  },
  async run(task) {
    await task.sleep('1 hour');
    await task.complete('late');
  },
});
