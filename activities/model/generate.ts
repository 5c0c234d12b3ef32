import { Context } from '@temporalio/activity';
import type { GenerateCall, GenerateResult } from '../../core/generation.js';
import type { JournalAppend } from '../../core/journal.js';
import { modelFailure, taskOver, unknownModel } from './failures.js';
import { FragmentWriter, TaskOver } from './fragments.js';
import { heartbeating } from '../heartbeat.js';
import type { Models } from './models.js';
import { modelMessages } from './prompt.js';
import { closeTurn, finishedTurn, openTurn, type TranscriptJournal } from './transcript.js';
import { streamTurn } from './turn.js';

export interface GenerateDeps {
  journal: TranscriptJournal & Pick<JournalAppend, 'appendDeltas'>;
  models: Models;
  /** Where a call leaves `chunks` open: whether text is recorded as it streams (B12). Default true. */
  streamArtifacts?: boolean;
  /** Milliseconds between heartbeats. Default 250: a cancel arrives with the answer to one. */
  heartbeatMillis?: number;
}

/** One attempt at a model turn, as Temporal or the test harness runs it. */
export interface Attempt {
  /** From 1. */
  number: number;
  /** The same on every attempt at this turn, and no other turn's. */
  turnKey: string;
  /** Its abort ends the request; its reason is thrown. */
  signal: AbortSignal;
}

/**
 * The model activity. Fails with the types in failures.ts, `CancelledFailure`, or the journal's own error.
 */
export function createGenerate(deps: GenerateDeps): (call: GenerateCall) => Promise<GenerateResult> {
  return async function generate(call) {
    const context = Context.current();
    const { attempt, activityId, workflowExecution } = context.info;
    const stopBeating = heartbeating(context, deps.heartbeatMillis ?? 250);
    try {
      return await generateTurn(deps, call, {
        number: attempt,
        turnKey: `${workflowExecution?.runId ?? ''}/${activityId}`,
        signal: context.cancellationSignal,
      });
    } finally {
      stopBeating();
    }
  };
}

/**
 * One turn of one model. Its text goes to the journal word by word, its result to the agent. It can be tried
 * again from any point: what the model is asked is recorded by position, a new attempt's first fragment
 * replaces what the last one had streamed (B11), and a turn that was finished, with only its result lost, is
 * not asked of the model again.
 */
export async function generateTurn(
  deps: GenerateDeps,
  call: GenerateCall,
  attempt: Attempt,
): Promise<GenerateResult> {
  const { journal, models } = deps;
  const model = models.get(call.model);
  if (!model) throw unknownModel(call.model);
  const finished = attempt.number > 1 ? await finishedTurn(journal, call, attempt.turnKey) : undefined;
  if (finished) return finished;

  const messages = modelMessages(await openTurn(journal, call));
  const stop = new AbortController();
  const fragments = new FragmentWriter(journal, call, attempt.number, () => stop.abort());
  const chunks = call.chunks ?? deps.streamArtifacts ?? true;
  try {
    const signal = AbortSignal.any([attempt.signal, stop.signal]);
    const turn = await streamTurn(model, call, messages, signal, (text) => {
      if (chunks) fragments.write(text);
    }).catch(async (error: unknown) => {
      // Nothing of this attempt may be recorded after its end, when the next one may be writing.
      await fragments.done();
      attempt.signal.throwIfAborted();
      throw modelFailure(error, model.modelId);
    });
    await fragments.done();
    if (attempt.number > 1 && !fragments.begun && (await hasStreamed(journal, call))) {
      await fragments.replaceWithNothing();
    }

    const { answer, finishReason, usage } = turn;
    const { text, toolCalls, content } = answer;
    const streamed = fragments.begun;
    const result = { text, toolCalls, finishReason, usage, nextPosition: call.position + 2, streamed };
    await closeTurn(journal, call, { content, turnKey: attempt.turnKey, result });
    return result;
  } catch (error) {
    throw error instanceof TaskOver ? taskOver() : error;
  } finally {
    // Whatever ended the turn, the request must not go on.
    stop.abort();
  }
}

/** Whether an earlier attempt had begun to stream: its artifact is in the task. */
async function hasStreamed(journal: TranscriptJournal, { taskId, artifact }: GenerateCall): Promise<boolean> {
  const stored = await journal.readAny(taskId, { historyLength: 0 });
  return stored?.task.artifacts?.some(({ artifactId }) => artifactId === artifact.artifactId) ?? false;
}
