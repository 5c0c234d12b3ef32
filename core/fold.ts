import type { Artifact, Part, StreamResponse, Task, TaskArtifactUpdateEvent } from './task.js';

/**
 * Applies one event of a task's log to the task. Pure: it gives a new task and leaves the old one as it
 * was. Folding a log from its first event gives what the journal's snapshot says, but for the messages
 * of the user and the task's own metadata, which take no event.
 */
export function fold(task: Task, event: StreamResponse): Task {
  if ('task' in event) return event.task;
  if ('statusUpdate' in event) {
    const { status } = event.statusUpdate;
    const history = task.history ?? [];
    const known =
      status.message === undefined || history.some((m) => m.messageId === status.message?.messageId);
    return known ? { ...task, status } : { ...task, status, history: [...history, status.message!] };
  }
  if ('artifactUpdate' in event)
    return { ...task, artifacts: foldArtifact(task.artifacts ?? [], event.artifactUpdate) };
  return task;
}

/** A18: an append extends the artifact, or starts it where it is unknown; anything else replaces it in its place. */
export function foldArtifact(artifacts: readonly Artifact[], update: TaskArtifactUpdateEvent): Artifact[] {
  const { artifact } = update;
  const at = artifacts.findIndex((known) => known.artifactId === artifact.artifactId);
  const known = artifacts[at];
  if (known === undefined) return [...artifacts, artifact];
  return artifacts.with(at, update.append === true ? extendArtifact(known, artifact) : artifact);
}

/** What the later fragment says of name, metadata and so on is added to what the earlier ones said. */
export function extendArtifact(artifact: Artifact, fragment: Artifact): Artifact {
  const extended: Artifact = {
    ...artifact,
    ...fragment,
    parts: mergeText([...artifact.parts, ...fragment.parts]),
  };
  if (artifact.metadata !== undefined) extended.metadata = { ...artifact.metadata, ...fragment.metadata };
  return extended;
}

/** Joins neighbouring text parts that carry nothing beside their text; all other parts stay as they are. */
export function mergeText(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (last !== undefined && isPlainText(last) && isPlainText(part)) {
      merged[merged.length - 1] = { text: last.text + part.text };
    } else {
      merged.push(part);
    }
  }
  return merged;
}

function isPlainText(part: Part): part is { text: string } {
  return 'text' in part && Object.keys(part).length === 1;
}
