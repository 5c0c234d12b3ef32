import { defineAgent } from '../index.js';

/**
 * Streams a story from a model that calls a tool halfway. What the model says before the tool call reaches
 * the readers as an artifact marked `intermediate-thinking`; what it says last is the answer.
 *
 * The scripted demo model needs no key: its "instructions" are the script that it plays. For a real model,
 * configure an endpoint, take `model` out, and write instructions in `system` instead.
 */
export default defineAgent({
  code: 'storyteller',
  card: {
    name: 'Storyteller',
    description: 'Tells a short story, word by word.',
    skills: [
      {
        id: 'tell',
        name: 'Tell a story',
        description: 'Streams a short story about what you ask for.',
        tags: ['demo', 'streaming'],
        examples: ['Tell me about a lighthouse'],
      },
    ],
  },

  async run(task) {
    const story = await task.generate({
      model: 'scripted-demo',
      system: SCRIPT,
      prompt: task.text,
      name: 'story',
      tools: {
        draw_hero: {
          description: 'Draws the hero of the story.',
          parameters: { type: 'object', properties: {}, additionalProperties: false },
          // Tools run here, in the agent, so they may ask, sleep, or call activities. Randomness comes
          // from the task, so that a replay draws the same hero.
          execute: () => HEROES[parseInt(task.uuid().slice(0, 4), 16) % HEROES.length] ?? HEROES[0],
        },
      },
    });
    // The text has been streamed already: completing with it makes that artifact the answer.
    await task.complete(story);
  },
});

const HEROES = [
  'a lighthouse keeper',
  'a retired astronaut',
  'a very small dragon',
  'the last typesetter',
] as const;

const SCRIPT = `
say: A story about “{prompt}”. First I need a hero, so let me draw one.
tool: draw_hero {}
say: Once there was {result}, who had been asked for one thing only: {prompt}.
say: It was harder than it sounds. The first attempt ended in the harbour, the second in an argument with a
say: heron, and the third was going well until the power failed in the middle of a sentence.
say: When the light came back, the sentence went on exactly where it had stopped, not a word lost and
say: none said twice. That, everybody agreed, was the best part. The end.
`;
