import type { AgentDefinition } from '../../core/agent.js';
import { A2AError } from '../../core/errors.js';
import { inputModesOf, skillsOf } from '../../core/offers.js';
import type { Part } from '../../core/task.js';

/**
 * Refuses parts whose media type the agent does not take (C11). It takes its default input modes and
 * those of its skills; wildcards count. A part that names no media type is left to the agent. Throws
 * CONTENT_TYPE_NOT_SUPPORTED.
 */
export function checkInputModes(agent: AgentDefinition, parts: readonly Part[]): void {
  const modes = [...inputModesOf(agent), ...skillsOf(agent).flatMap((skill) => skill.inputModes ?? [])];
  for (const [index, { mediaType }] of parts.entries()) {
    if (mediaType === undefined || modes.some((mode) => matches(mode, mediaType))) continue;
    const field = `message.parts[${index}].mediaType`;
    throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'The agent does not take this media type', {
      metadata: { field, supported: modes.join(', ') },
    });
  }
}

function matches(mode: string, mediaType: string): boolean {
  const wanted = bare(mode);
  const given = bare(mediaType);
  if (wanted === '*/*' || wanted === given) return true;
  return wanted.endsWith('/*') && given.startsWith(wanted.slice(0, -1));
}

/** Media types compare without case and parameters. */
function bare(mediaType: string): string {
  const [type = ''] = mediaType.split(';', 1);
  return type.trim().toLowerCase();
}
