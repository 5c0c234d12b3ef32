import { type Models, plainModel } from '../activities/model/configured-model.js';
import { SCRIPTED_DEMO, scriptedModel } from '../activities/model/scripted.js';
import type { ScriptedTurn } from '../activities/model/script.js';
import { promptText, wordModel } from '../activities/model/word-model.js';
import type { Json } from '../core/task.js';

/** What the model answers in one turn: text, or text and tool calls, each optional. */
export type ModelAnswer = string | { say?: string; calls?: { name: string; input?: Json }[] };

/** What the agent asked of the model. */
export interface ModelQuestion {
  /** Text of the newest user message. */
  prompt: string;
  system: string;
  /** Results of the tools that the model's last turn called, in the calls' order. */
  toolResults: Json[];
  /** Names of the tools that it may call. */
  tools: string[];
  /** The whole conversation, in the AI SDK's words. */
  messages: unknown[];
}

/**
 * Answers in order, one a turn; or a function that answers. A function that throws stands for a provider
 * that fails: the turn is tried again, as Temporal would.
 */
export type ModelAnswers = ModelAnswer[] | ((question: ModelQuestion) => ModelAnswer | Promise<ModelAnswer>);

/**
 * The models of a test: whatever name the agent asks for, it gets these answers. Without answers it gets the
 * scripted demo model.
 */
export function answeringModels(
  answers: ModelAnswers | undefined,
  onExhausted: (error: Error) => void,
): Models {
  if (answers === undefined) {
    const scripted = plainModel(SCRIPTED_DEMO, scriptedModel());
    return { names: [SCRIPTED_DEMO], get: () => scripted };
  }
  let turns = 0;
  const model = wordModel({ modelId: 'test-model' }, async ({ prompt, tools = [] }) => {
    turns += 1;
    if (Array.isArray(answers)) {
      const answer = answers[turns - 1];
      if (answer !== undefined) return turnOf(answer);
      const error = new Error(
        `the agent asked the model ${turns} times, the test gives ${answers.length} answers`,
      );
      onExhausted(error);
      throw error;
    }
    const results = prompt.at(-1)?.role === 'tool' ? prompt.at(-1)?.content : [];
    return turnOf(
      await answers({
        prompt: promptText(prompt, 'user'),
        system: promptText(prompt, 'system'),
        toolResults: Array.isArray(results) ? results.flatMap(resultOf) : [],
        tools: tools.map(({ name }) => name),
        messages: prompt,
      }),
    );
  });
  const configured = plainModel(model.modelId, model);
  return { names: [configured.name], get: () => configured };
}

function turnOf(answer: ModelAnswer): ScriptedTurn {
  const { say = '', calls = [] } = typeof answer === 'string' ? { say: answer } : answer;
  return { say, calls: calls.map(({ name, input = {} }) => ({ name, input })) };
}

function resultOf(part: { type: string; output?: { value?: unknown } | object }): Json[] {
  if (part.type !== 'tool-result' || !part.output || !('value' in part.output)) return [];
  return [part.output.value as Json];
}
