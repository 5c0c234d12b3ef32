import { defineAgent } from '../../index.js';

/** One conversation with a model in so many turns, each with a tool call that returns 2 KB. */
export default defineAgent({
  code: 'turns',
  card: {
    name: 'Turns',
    description: 'Talks to a model for many turns',
    skills: [{ id: 'talk', name: 'Talk', description: 'Takes many model turns', tags: ['bench'] }],
  },
  async run(task) {
    const turns = Number(task.text);
    const generated = await task.generate({
      model: 'scripted-demo',
      prompt: 'go on',
      system: `${'say: on\ntool: page {}\n'.repeat(turns)}say: done`,
      maxTurns: turns + 1,
      history: false,
      tools: { page: { description: 'Reads a page', parameters: {}, execute: () => 'x'.repeat(2_048) } },
    });
    await task.complete(generated);
  },
});
