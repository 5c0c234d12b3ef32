import { defineAgent, type Part } from '../index.js';

/** Asks a question, waits for the answer however long it takes, and delivers an artifact. */
export default defineAgent({
  code: 'concierge',
  card: {
    name: 'Concierge',
    description: 'Plans a day in a city of your choice.',
    skills: [
      {
        id: 'plan-day',
        name: 'Plan a day',
        description: 'Asks which city, then gives a plan for the day.',
        tags: ['demo', 'travel'],
        examples: ['Plan a day for me'],
        outputModes: ['text/markdown', 'application/json'],
      },
    ],
  },

  async run(task) {
    await task.working('Looking at your request');

    // The task is INPUT_REQUIRED until the reply comes. Minutes or weeks: nothing is held in memory.
    let city = (await task.ask('Which city?')).trim();
    while (city === '') city = (await task.ask('Please name a city.')).trim();

    await task.working(`Planning a day in ${city}`);
    // The answer becomes an artifact: here a text for people and the same plan as data for programs.
    await task.complete(dayPlan(city), { name: 'plan' });
  },
});

function dayPlan(city: string): Part[] {
  const stops = [
    { time: '09:00', what: `Breakfast at a market in ${city}` },
    { time: '11:00', what: `A walk through the old town of ${city}` },
    { time: '15:00', what: 'The museum that nobody queues for' },
    { time: '19:00', what: 'Dinner where the menu has no pictures' },
  ];
  const lines = stops.map(({ time, what }) => `- ${time} ${what}`);
  return [
    { text: [`# A day in ${city}`, '', ...lines].join('\n'), mediaType: 'text/markdown' },
    { data: { city, stops }, mediaType: 'application/json' },
  ];
}
