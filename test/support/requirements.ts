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
  ['A01', 'foundation', 'open', 'Ids are prefixed, time-ordered UUIDs of version 7, made by the server'],
  ['A02', 'foundation', 'open', 'The shape of a task: status with time, history with times, artifacts'],
  ['A03', 'foundation', 'open', 'An agent answers with a task or directly with a message'],
  ['A04', 'foundation', 'open', 'All eight states'],
  ['A05', 'foundation', 'open', 'Which state may follow which, decided in one place'],
  ['A06', 'foundation', 'open', 'A terminal task never changes'],
  ['A07', 'foundation', 'open', 'Rejection, with the reason'],
  ['A08', 'foundation', 'open', 'Messages to terminal, unknown and foreign tasks'],
  ['A09', 'foundation', 'open', 'Context ids: given, made, inferred, refused'],
  ['A10', 'foundation', 'open', 'References to other tasks'],
  ['A11', 'foundation', 'open', 'A new task sees the conversation so far'],
  ['A12', 'foundation', 'open', 'historyLength'],
  ['A13', 'foundation', 'open', 'One turn at a time in a context'],
  ['A14', 'foundation', 'open', 'Questions and replies'],
  ['A15', 'agents', 'open', 'Authorisation asked for and resolved'],
  ['A16', 'foundation', 'open', 'Cancellation, in seconds, with one winner'],
  ['A17', 'agents', 'open', 'Usage of models, summed over a task'],
  ['A18', 'foundation', 'open', 'Artifacts: reading, appending, folding'],
  ['A19', 'foundation', 'open', 'Cancelled, failed and gone clients are told apart'],
  ['A20', 'foundation', 'open', 'A retried send runs nothing twice'],

  ['B01', 'foundation', 'open', 'One event a frame; the task first'],
  ['B02', 'foundation', 'open', 'Frames carry their sequence; keep-alive; retry hint'],
  ['B03', 'foundation', 'open', 'Tokens as artifact updates, closed with the whole text'],
  ['B04', 'foundation', 'open', 'Text before a tool call or a pause is intermediate thinking'],
  ['B05', 'foundation', 'open', 'COMPLETED repeats no answer'],
  ['B06', 'foundation', 'open', 'When a stream closes and when it stays open'],
  ['B07', 'foundation', 'open', 'Resumption by Last-Event-ID'],
  ['B08', 'foundation', 'open', 'No gap, no duplicate, one order for all readers'],
  ['B09', 'foundation', 'open', 'Errors known at the start are ordinary answers'],
  ['B10', 'foundation', 'open', 'A closed connection leaves nothing behind'],
  ['B11', 'foundation', 'open', 'A retried model call shows no text twice'],
  ['B12', 'foundation', 'open', 'Chunked or buffered, by agent and by setting'],

  ['C01', 'foundation', 'open', 'SendMessage, blocking and not'],
  ['C02', 'foundation', 'open', 'Streaming, reading, cancelling; addresses by verb'],
  ['C03', 'foundation', 'open', 'ListTasks: filters, pages, order, totals'],
  ['C04', 'dialects', 'open', 'Push notification configs'],
  ['C05', 'dialects', 'open', 'Webhook delivery'],
  ['C06', 'dialects', 'open', 'Agent cards: shapes, caching, signatures'],
  ['C07', 'dialects', 'open', 'Versions and extensions'],
  ['C08', 'foundation', 'open', 'What the card does not declare has its own error'],
  ['C09', 'foundation', 'open', 'One error code, exhaustive tables, no internals shown'],
  ['C10', 'foundation', 'open', 'JSON-RPC and HTTP rules'],
  ['C11', 'foundation', 'open', 'ProtoJSON rules'],
  ['C12', 'foundation', 'open', 'Limits with clear errors'],
  ['C13', 'dialects', 'open', 'The official clients work unchanged'],
  ['C14', 'dialects', 'open', 'Our extensions are declared and documented'],

  ['D01', 'dialects', 'open', '0.3 over JSON-RPC'],
  ['D02', 'dialects', 'open', '0.3 over REST and gRPC'],
  ['D03', 'dialects', 'open', 'The tasks/send drafts'],
  ['D04', 'dialects', 'open', 'The gateway dialect'],
  ['D05', 'dialects', 'open', 'The /v2/agentic surface'],
  ['D06', 'dialects', 'open', 'One task driven by several dialects'],

  ['E01', 'foundation', 'open', 'An agent is one file, testable without a server'],
  ['E02', 'agents', 'open', 'Models through the AI SDK'],
  ['E03', 'agents', 'open', 'The model agent'],
  ['E04', 'agents', 'open', 'Connectors'],
  ['E05', 'agents', 'open', 'Citations'],
  ['E06', 'agents', 'open', 'Credits'],
  ['E07', 'agents', 'open', 'Rate limits of providers'],
  ['E08', 'foundation', 'open', 'Background work holds a task in WORKING'],
  ['E09', 'agents', 'open', 'Jobs of hours in bounded history'],
  ['E10', 'foundation', 'open', 'Usable from the package, without a fork'],

  ['F01', 'foundation', 'open', 'One command starts it all; settings are checked'],
  ['F02', 'production', 'open', 'Several api and worker processes on PostgreSQL'],
  ['F03', 'foundation', 'open', 'Killed anywhere, nothing accepted is lost'],
  ['F04', 'foundation', 'open', 'A run that ends behind our back ends the task'],
  ['F05', 'foundation', 'open', 'Reads and sends while workers or Temporal are down'],
  ['F06', 'production', 'open', 'Callers see only their own'],
  ['F07', 'production', 'open', 'Encryption at rest'],
  ['F08', 'production', 'open', 'Health, metrics, traces, logs'],
  ['F09', 'foundation', 'open', 'Graceful shutdown in bounded time'],
  ['F10', 'foundation', 'open', 'Old histories replay on new code'],
  ['F11', 'foundation', 'open', 'The bench: figures, peers, targets in one run'],

  ['X01', 'foundation', 'open', 'Errors on terminal tasks'],
  ['X02', 'foundation', 'open', 'A message meets the end of a task'],
  ['X03', 'foundation', 'open', 'Many readers of one task'],
  ['X04', 'foundation', 'open', 'A task outlives the connection that began it'],
  ['X06', 'foundation', 'open', 'Cancel races'],
  ['X07', 'foundation', 'open', 'A list that lags behind'],
  ['X08', 'foundation', 'open', 'historyLength zero and unset'],
  ['X09', 'foundation', 'open', 'Blocking when nothing is said'],
  ['X11', 'foundation', 'open', 'Cursors: wrong, foreign, old, junk'],
  ['X12', 'foundation', 'open', 'Truncation skips no event'],
  ['X14', 'foundation', 'open', 'A plain Error in agent code'],
  ['X15', 'foundation', 'open', 'No worker is alive'],
  ['X17', 'dialects', 'open', 'Webhook addresses that lead inside'],
  ['X19', 'foundation', 'open', 'The version header in all its forms'],
  ['X20', 'foundation', 'open', 'An unknown task id creates nothing'],
  ['X21', 'foundation', 'open', 'Context mismatch writes nothing'],
  ['X22', 'foundation', 'open', 'Required fields and one-of'],
  ['X23', 'foundation', 'open', 'Broken JSON-RPC envelopes'],
  ['X24', 'foundation', 'open', 'REST error shapes and codes'],
  ['X25', 'foundation', 'open', 'The shape of a list'],
  ['X29', 'dialects', 'open', 'The authorisation header of webhooks'],
  ['X31', 'dialects', 'open', 'Webhook order, duplicates and stop'],
  ['X32', 'dialects', 'open', 'The 0.3 wire'],
  ['X33', 'foundation', 'open', 'Payload limits'],
  ['X37', 'foundation', 'open', 'Concurrent and duplicate sends'],
  ['X38', 'foundation', 'open', 'Termination from outside'],
  ['X39', 'foundation', 'open', 'Cancellation and shutdown reach activities'],
  ['X41', 'foundation', 'open', 'Slow readers and buffering'],
  ['X43', 'foundation', 'open', 'A pause on an open stream; errors before the stream'],
  ['X44', 'dialects', 'open', 'Capabilities, extended card, challenges'],
  ['X45', 'foundation', 'open', 'Cancel twice'],
  ['X47', 'foundation', 'open', 'Replay after a deploy; odd context ids'],

  ['H01', 'foundation', 'covered', 'Imports go one way'],
  ['H02', 'foundation', 'covered', 'Files of one idea: at most 300 lines, no catch-all names'],
  ['H03', 'foundation', 'covered', 'The manifest and the tests agree'],
  ['H04', 'foundation', 'covered', 'The workflow bundle holds no code that is not deterministic'],
];

export const REQUIREMENTS: ReadonlyMap<string, Requirement> = new Map(
  ROWS.map(([id, phase, coverage, text]) => [id, { phase, coverage, text }]),
);
