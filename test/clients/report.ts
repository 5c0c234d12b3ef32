/** What a conversation's step gives when it ended in an error: the error's name and its message. */
export interface Failure {
  failed: string;
}

/** A stream that was read to its end. */
export interface Followed {
  id: string | null;
  /** Which kind of event came first; null where none came. */
  first: 'task' | 'message' | 'statusUpdate' | 'artifactUpdate' | null;
  /** The state in which it ended. */
  last: string | null;
  /** Artifact updates. */
  updates: number;
  /** What the artifacts, or the direct message, add up to. */
  text: string;
}

/** A task that has settled, with the text of its artifacts. */
export interface Outcome {
  state: string;
  text: string;
}

/**
 * What a client of another language saw of the test agent: the one JSON document that its program prints. States have
 * 1.0's names, errors the specification's. A client of 0.3 has fewer steps.
 */
export interface Report {
  /** Interfaces as `JSONRPC 1.0`. */
  card: { name: string; streaming: boolean; interfaces: string[] } | Failure;
  blocking: Outcome | Failure;
  immediately: { state: string } | Failure;
  streaming: Followed | Failure;
  direct: { text: string; streamed: string } | Failure;
  question: object | Failure;
  cancel: { state: string; read: string } | Failure;
  history: { all: string[]; none: string[]; newest: string[] } | Failure;
  list: object | Failure;
  subscribe: (Followed & { read: Outcome }) | Failure;
  data: { back: unknown[] } | Failure;
  file: { name: string; type: string; same: boolean; sha256: string } | Failure;
  nothing: { data: unknown } | Failure;
  endings: Record<'fail' | 'reject', string> | Failure;
  errors: Record<string, string> | Failure;
  push: object | Failure;
}
