import { Context } from '@temporalio/activity';
import type { ConversationSettings, GenerateCall, GenerateResult } from '../../core/generation.js';
import type { JournalAppend } from '../../core/journal.js';
import { sumOfUsage, type Usage } from '../../core/usage.js';
import { modelFailure, taskOver, uncheckableOutput, unknownModel } from './failures.js';
import { FragmentWriter, TaskOver } from './fragments.js';
import { heartbeating } from '../heartbeat.js';
import type { Models } from './configured-model.js';
import { canCheck, readOutputText } from './output.js';
import { modelMessages } from './prompt.js';
import { modelRequest } from './request.js';
import { closeTurn, finishedTurn, noteUsage, openTurn, type TranscriptJournal } from './transcript.js';
import { ModelOutputError, streamTurn, type Turn } from './turn.js';

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
  const configured = models.get(call.model);
  if (!configured) throw unknownModel(call.model);
  const { model, name } = configured;
  const finished = attempt.number > 1 ? await finishedTurn(journal, call, attempt.turnKey) : undefined;
  if (finished) return finished;

  const { entries, settings, used } = await openTurn(journal, call);
  if (settings.output && !canCheck(settings.output)) throw uncheckableOutput();
  const request = modelRequest(configured, call.taskId, settings, modelMessages(entries));
  const stop = new AbortController();
  const fragments = new FragmentWriter(journal, call, attempt.number, () => stop.abort());
  const chunks = call.chunks ?? deps.streamArtifacts ?? true;
  try {
    const signal = AbortSignal.any([attempt.signal, stop.signal]);
    const onText = (text: string): void => {
      if (chunks) fragments.write(text);
    };
    const turn = await streamTurn(model, request, signal, onText)
      .then((taken) => ({ ...taken, said: answerOf(taken, settings) }))
      .catch(async (error: unknown) => {
        // Nothing of this attempt may be recorded after its end, when the next one may be writing.
        await fragments.done();
        attempt.signal.throwIfAborted();
        const paid = paidFor(error, used);
        if (paid !== undefined) await noteUsage(journal, call, paid);
        throw modelFailure(error, name, paid);
      });
    await fragments.done();
    if (attempt.number > 1 && !fragments.begun && (await hasStreamed(journal, call))) {
      await fragments.replaceWithNothing();
    }

    const { said, finishReason } = turn;
    const { toolCalls, content } = turn.answer;
    const result: GenerateResult = {
      ...said,
      toolCalls,
      finishReason,
      usage: sumOfUsage(used, turn.usage),
      nextPosition: call.position + 2,
      streamed: fragments.begun,
    };
    await closeTurn(journal, call, { content, turnKey: attempt.turnKey, result });
    return result;
  } catch (error) {
    throw error instanceof TaskOver ? taskOver() : error;
  } finally {
    // Whatever ended the turn, the request must not go on.
    stop.abort();
  }
}

/** An answer of an asked form is looked at here, so that the workflow gets its JSON or what is wrong with it. */
function answerOf(
  { answer: { text, toolCalls }, finishReason, usage }: Turn,
  { output }: ConversationSettings,
): Pick<GenerateResult, 'text' | 'problem'> {
  if (output === undefined || toolCalls.length > 0) return { text };
  const read = readOutputText(text, output);
  if ('problem' in read && finishReason === 'length') {
    throw new ModelOutputError('was cut off in its answer: its output limit is too low', false, usage);
  }
  return { text, ...read };
}

/** What this attempt and those before it used; undefined where nothing is known. */
function paidFor(error: unknown, used: Usage | undefined): Usage | undefined {
  const now = error instanceof ModelOutputError ? error.usage : undefined;
  return now && now.totalTokens > 0 ? sumOfUsage(used, now) : used;
}

/** Whether an earlier attempt had begun to stream: its artifact is in the task. */
async function hasStreamed(journal: TranscriptJournal, { taskId, artifact }: GenerateCall): Promise<boolean> {
  const stored = await journal.readAny(taskId, { historyLength: 0 });
  return stored?.task.artifacts?.some(({ artifactId }) => artifactId === artifact.artifactId) ?? false;
}
