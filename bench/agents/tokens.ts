import { defineAgent } from '../../index.js';

/** Streams from the token server (bench/token-server.ts), which the message tells how much and how fast. */
export default defineAgent({
  code: 'tokens',
  card: {
    name: 'Tokens',
    description: 'Streams tokens that say when they were made',
    skills: [{ id: 'stream', name: 'Stream', description: 'Streams tokens', tags: ['bench'] }],
  },
  streamArtifactChunks: true,
  async run(task) {
    if (task.text.includes('wait')) await task.ask('When?');
    await task.complete(await task.generate({ prompt: task.text, history: false }));
  },
});
