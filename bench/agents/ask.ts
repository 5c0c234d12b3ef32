import { defineAgent } from '../../index.js';

/** Waits for one reply. */
export default defineAgent({
  code: 'ask',
  card: {
    name: 'Ask',
    description: 'Asks one question',
    skills: [{ id: 'ask', name: 'Ask', description: 'Asks one question', tags: ['bench'] }],
  },
  async run(task) {
    await task.complete(await task.ask('Which one?'));
  },
});
