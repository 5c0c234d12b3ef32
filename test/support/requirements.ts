/**
 * The manifest: every id that a test may carry in its name, the issue that brings it, and how much of it the
 * tests prove today. The reporter beside this file holds it to the truth: after a run of the whole suite an id
 * that is `covered` or in `part` must be named by a passing test, and one that is `open` must not be.
 *
 * A to F are the product's promises, X the faults of other servers that are tried on ours, H the house's rules.
 */
export type Phase = 'foundation' | 'dialects' | 'agents' | 'production';
export type Coverage = 'covered' | 'part' | 'open';
export interface Requirement {
  phase: Phase;
  coverage: Coverage;
  text: string;
}

const ROWS: [id: string, phase: Phase, coverage: Coverage, text: string][] = [
  ['A01', 'foundation', 'covered', 'Ids are prefixed, time-ordered UUIDs of version 7, made by the server'],
  ['A02', 'foundation', 'covered', 'The shape of a task: status with time, history with times, artifacts'],
  ['A03', 'foundation', 'covered', 'An agent answers with a task or directly with a message'],
  ['A04', 'foundation', 'covered', 'All eight states'],
  ['A05', 'foundation', 'covered', 'Which state may follow which, decided in one place'],
  ['A06', 'foundation', 'covered', 'A terminal task never changes'],
  ['A07', 'foundation', 'covered', 'Rejection, with the reason'],
  ['A08', 'foundation', 'covered', 'Messages to terminal, unknown and foreign tasks'],
  ['A09', 'foundation', 'covered', 'Context ids: given, made, inferred, refused'],
  ['A10', 'foundation', 'covered', 'References to other tasks'],
  ['A11', 'foundation', 'covered', 'A new task sees the conversation so far'],
  ['A12', 'foundation', 'covered', 'historyLength'],
  ['A13', 'foundation', 'covered', 'One turn at a time in a context'],
  ['A14', 'foundation', 'covered', 'Questions and replies'],
  ['A15', 'agents', 'part', 'Authorisation asked for and resolved'],
  ['A16', 'foundation', 'covered', 'Cancellation, in seconds, with one winner'],
  ['A17', 'agents', 'part', 'Usage of models, summed over a task'],
  ['A18', 'foundation', 'covered', 'Artifacts: reading, appending, folding'],
  ['A19', 'foundation', 'covered', 'Cancelled, failed and gone clients are told apart'],
  ['A20', 'foundation', 'covered', 'A retried send runs nothing twice'],

  ['B01', 'foundation', 'covered', 'One event a frame; the task first'],
  ['B02', 'foundation', 'covered', 'Frames carry their sequence; keep-alive; retry hint'],
  ['B03', 'foundation', 'covered', 'Tokens as artifact updates, closed with the whole text'],
  ['B04', 'foundation', 'covered', 'Text before a tool call or a pause is intermediate thinking'],
  ['B05', 'foundation', 'covered', 'COMPLETED repeats no answer'],
  ['B06', 'foundation', 'covered', 'When a stream closes and when it stays open'],
  ['B07', 'foundation', 'covered', 'Resumption by Last-Event-ID'],
  ['B08', 'foundation', 'covered', 'No gap, no duplicate, one order for all readers'],
  ['B09', 'foundation', 'covered', 'Errors known at the start are ordinary answers'],
  ['B10', 'foundation', 'covered', 'A closed connection leaves nothing behind'],
  ['B11', 'foundation', 'covered', 'A retried model call shows no text twice'],
  ['B12', 'foundation', 'covered', 'Chunked or buffered, by agent and by setting'],

  ['C01', 'foundation', 'covered', 'SendMessage, blocking and not'],
  ['C02', 'foundation', 'covered', 'Streaming, reading, cancelling; addresses by verb'],
  ['C03', 'foundation', 'covered', 'ListTasks: filters, pages, order, totals'],
  ['C04', 'dialects', 'covered', 'Push notification configs'],
  ['C05', 'dialects', 'covered', 'Webhook delivery'],
  ['C06', 'dialects', 'part', 'Agent cards: shapes, caching, signatures'],
  ['C07', 'dialects', 'covered', 'Versions and extensions'],
  ['C08', 'foundation', 'covered', 'What the card does not declare has its own error'],
  ['C09', 'foundation', 'covered', 'One error code, exhaustive tables, no internals shown'],
  ['C10', 'foundation', 'covered', 'JSON-RPC and HTTP rules'],
  ['C11', 'foundation', 'covered', 'ProtoJSON rules'],
  ['C12', 'foundation', 'covered', 'Limits with clear errors'],
  ['C13', 'dialects', 'part', 'The official clients work unchanged'],
  ['C14', 'dialects', 'covered', 'Our extensions are declared and documented'],

  ['D01', 'dialects', 'part', '0.3 over JSON-RPC'],
  ['D02', 'dialects', 'part', '0.3 over REST and gRPC'],
  ['D03', 'dialects', 'part', 'The tasks/send drafts'],
  ['D04', 'dialects', 'covered', 'The gateway dialect'],
  ['D05', 'dialects', 'covered', 'The /v2/agentic surface'],
  ['D06', 'dialects', 'part', 'One task driven by several dialects'],

  ['E01', 'foundation', 'covered', 'An agent is one file, testable without a server'],
  ['E02', 'agents', 'part', 'Models through the AI SDK'],
  ['E03', 'agents', 'open', 'The model agent'],
  ['E04', 'agents', 'open', 'Connectors'],
  ['E05', 'agents', 'open', 'Citations'],
  ['E06', 'agents', 'open', 'Credits'],
  ['E07', 'agents', 'open', 'Rate limits of providers'],
  ['E08', 'foundation', 'covered', 'Background work holds a task in WORKING'],
  ['E09', 'agents', 'part', 'Jobs of hours in bounded history'],
  ['E10', 'foundation', 'covered', 'Usable from the package, without a fork'],

  ['F01', 'foundation', 'covered', 'One command starts it all; settings are checked'],
  ['F02', 'production', 'open', 'Several api and worker processes on PostgreSQL'],
  ['F03', 'foundation', 'covered', 'Killed anywhere, nothing accepted is lost'],
  ['F04', 'foundation', 'covered', 'A run that ends behind our back ends the task'],
  ['F05', 'foundation', 'covered', 'Reads and sends while workers or Temporal are down'],
  ['F06', 'production', 'part', 'Callers see only their own'],
  ['F07', 'production', 'part', 'Encryption at rest'],
  ['F08', 'production', 'part', 'Health, metrics, traces, logs'],
  ['F09', 'foundation', 'covered', 'Graceful shutdown in bounded time'],
  ['F10', 'foundation', 'covered', 'Old histories replay on new code'],
  ['F11', 'foundation', 'covered', 'The bench: figures, peers, targets in one run'],

  ['X01', 'foundation', 'covered', 'Errors on terminal tasks'],
  ['X02', 'foundation', 'covered', 'A message meets the end of a task'],
  ['X03', 'foundation', 'covered', 'Many readers of one task'],
  ['X04', 'foundation', 'covered', 'A task outlives the connection that began it'],
  ['X06', 'foundation', 'covered', 'Cancel races'],
  ['X07', 'foundation', 'covered', 'A list that lags behind'],
  ['X08', 'foundation', 'covered', 'historyLength zero and unset'],
  ['X09', 'foundation', 'covered', 'Blocking when nothing is said'],
  ['X11', 'foundation', 'covered', 'Cursors: wrong, foreign, old, junk'],
  ['X12', 'foundation', 'covered', 'Truncation skips no event'],
  ['X14', 'foundation', 'covered', 'A plain Error in agent code'],
  ['X15', 'foundation', 'covered', 'No worker is alive'],
  ['X17', 'dialects', 'covered', 'Webhook addresses that lead inside'],
  ['X19', 'foundation', 'covered', 'The version header in all its forms'],
  ['X20', 'foundation', 'covered', 'An unknown task id creates nothing'],
  ['X21', 'foundation', 'covered', 'Context mismatch writes nothing'],
  ['X22', 'foundation', 'covered', 'Required fields and one-of'],
  ['X23', 'foundation', 'covered', 'Broken JSON-RPC envelopes'],
  ['X24', 'foundation', 'covered', 'REST error shapes and codes'],
  ['X25', 'foundation', 'covered', 'The shape of a list'],
  ['X29', 'dialects', 'covered', 'The authorisation header of webhooks'],
  ['X31', 'dialects', 'covered', 'Webhook order, duplicates and stop'],
  ['X32', 'dialects', 'part', 'The 0.3 wire'],
  ['X33', 'foundation', 'covered', 'Payload limits'],
  ['X37', 'foundation', 'covered', 'Concurrent and duplicate sends'],
  ['X38', 'foundation', 'covered', 'Termination from outside'],
  ['X39', 'foundation', 'covered', 'Cancellation and shutdown reach activities'],
  ['X41', 'foundation', 'covered', 'Slow readers and buffering'],
  ['X43', 'foundation', 'covered', 'A pause on an open stream; errors before the stream'],
  ['X44', 'dialects', 'covered', 'Capabilities, extended card, challenges'],
  ['X45', 'foundation', 'covered', 'Cancel twice'],
  ['X47', 'foundation', 'covered', 'Replay after a deploy; odd context ids'],

  ['H01', 'foundation', 'covered', 'Imports go one way'],
  ['H02', 'foundation', 'covered', 'Files of one idea: at most 300 lines, no catch-all names'],
  ['H03', 'foundation', 'covered', 'The manifest and the tests agree'],
  ['H04', 'foundation', 'covered', 'The workflow bundle holds no code that is not deterministic'],
];

export const REQUIREMENTS: ReadonlyMap<string, Requirement> = new Map(
  ROWS.map(([id, phase, coverage, text]) => [id, { phase, coverage, text }]),
);
