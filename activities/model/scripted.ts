import type { Model, ModelRequest } from './model.js';
import { sampleOf } from './sample.js';
import { parseScript, type ScriptedTurn } from './script.js';
import { promptText, turnsTaken, wordModel } from './word-model.js';

/** Its name, by which agents ask for it and usage reports it. */
export const SCRIPTED_DEMO = 'scripted-demo';

/**
 * A stand-in for a language model: no key, no network, always the same answer to the same prompt. It follows
 * a script ({@link parseScript}) in the system instructions, else one in the prompt; without a script it
 * answers with a short paragraph, or with the least that fits where a form is asked for.
 */
export function scriptedModel({ delayMillis = 0 }: { delayMillis?: number } = {}): Model {
  return wordModel({ modelId: SCRIPTED_DEMO, delayMillis }, scriptedTurn);
}

function scriptedTurn({ prompt, responseFormat }: ModelRequest): ScriptedTurn {
  const asked = promptText(prompt, 'user');
  const turns = parseScript(promptText(prompt, 'system')) ?? parseScript(asked);
  if (!turns) {
    const form = responseFormat?.type === 'json' ? responseFormat.schema : undefined;
    return { say: form ? JSON.stringify(sampleOf(form)) : paragraph(asked), calls: [] };
  }
  const { say, calls } = turns[turnsTaken(prompt)] ?? { say: '', calls: [] };
  return {
    say: say.replaceAll('{prompt}', () => asked).replaceAll('{result}', () => newestResult(prompt)),
    calls,
  };
}

function newestResult(prompt: ModelRequest['prompt']): string {
  const message = prompt.findLast((candidate) => candidate.role === 'tool');
  const result = message?.content.findLast((part) => part.type === 'tool-result');
  if (!result || !('value' in result.output)) return '';
  const { value } = result.output;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const QUOTED = 200;

function paragraph(asked: string): string {
  const quoted = asked.length > QUOTED ? `${asked.slice(0, QUOTED)}…` : asked;
  return (
    `You said: “${quoted}”. I am the scripted demo model: I know nothing, need no key, and stream these ` +
    'words one by one, so that you can see how an answer arrives. Configure a real model and the same ' +
    'agent will think for itself.'
  );
}
