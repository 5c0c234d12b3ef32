import type { Json } from '../../core/task.js';

/**
 * What the scripted demo model does in one turn: say words, then perhaps call tools. The turn ends with
 * the last tool call; the next turn begins after it.
 */
export interface ScriptedTurn {
  say: string;
  calls: { name: string; input: Json }[];
}

/**
 * Reads a script, one step a line; other lines are passed over. Undefined where there is no step at all.
 *
 *     say: Let me look that up.       words to stream; several lines are one text
 *     tool: weather {"city":"Paris"}  a tool call; several in a row are made in one turn
 *     say: It is {result}.            {result}: the newest tool result; {prompt}: what was asked
 *     words: 300                      so many words to stream, for load tests
 */
export function parseScript(text: string): ScriptedTurn[] | undefined {
  const turns: ScriptedTurn[] = [];
  for (const line of text.split('\n')) {
    const [, kind, rest = ''] = /^\s*(say|tool|words):\s*(.*)$/.exec(line) ?? [];
    if (kind === undefined) continue;
    let turn = turns.at(-1);
    if (turn === undefined || (kind !== 'tool' && turn.calls.length > 0)) {
      turn = { say: '', calls: [] };
      turns.push(turn);
    }
    if (kind === 'tool') turn.calls.push(parseCall(rest));
    else turn.say += (turn.say === '' ? '' : ' ') + (kind === 'say' ? rest : numberedWords(Number(rest)));
  }
  return turns.length === 0 ? undefined : turns;
}

function parseCall(rest: string): ScriptedTurn['calls'][number] {
  const [, name = '', input = ''] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
  try {
    return { name, input: input === '' ? {} : (JSON.parse(input) as Json) };
  } catch {
    throw new Error(`scripted-demo cannot read the tool input of 'tool: ${rest}': it must be JSON`);
  }
}

function numberedWords(count: number): string {
  return Array.from({ length: count || 0 }, (_, i) => `word${i + 1}`).join(' ');
}
