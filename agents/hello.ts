import { defineAgent } from '../index.js';

/**
 * The smallest agent: it answers at once. `answers: 'message'` says that the client gets a plain Message and
 * no Task, since there is nothing to track. Leave it out and the same answer comes as a completed task.
 */
export default defineAgent({
  code: 'hello',
  card: {
    name: 'Hello',
    description: 'Greets you. The smallest agent there is.',
    skills: [
      {
        id: 'greet',
        name: 'Greet',
        description: 'Answers a message with a greeting.',
        tags: ['demo'],
        examples: ['Hello, I am Ada'],
      },
    ],
  },
  answers: 'message',

  async run(task) {
    // `run` is durable: it survives crashes by being replayed. So time comes from the task, not from Date.
    const hour = new Date(task.now()).getUTCHours();
    const greeting = hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening';
    await task.reply(`${greeting}! You said: ${task.text}`);
  },
});
