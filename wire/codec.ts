import type { PushConfig } from '../core/push.js';
import type { StreamResponse, Task } from '../core/task.js';
import type { Operation, PushConfigList, Requests, SendResult, TaskList } from './requests.js';

/** Sizes beyond which a request is refused (C12). */
export interface DecodeLimits {
  /** Parts in a message. */
  parts: number;
  /** Nesting of metadata and data, the outermost object being 1. */
  depth: number;
}

export interface CodecSettings extends DecodeLimits {
  /** Dialects before 1.0 send fragments of artifacts, too. Default: each artifact once, whole (B12). */
  legacyFragments?: boolean;
}

/**
 * One dialect's words for the core model: pure, without I/O. Decoding throws INVALID_PARAMS with field
 * violations in the dialect's own paths. Encoding gives JSON text, so that a text can be kept and sent
 * to many readers.
 */
export interface Codec {
  /** `params` is plain JSON: a JSON-RPC member, or an HTTP body with path and query merged in. */
  decode<O extends Operation>(operation: O, params: unknown): Requests[O];
  encodeSendResult(result: SendResult): string;
  encodeTask(task: Task): string;
  encodeTaskList(list: TaskList, options: { includeArtifacts: boolean }): string;
  /**
   * Undefined where the dialect has no word for it: its readers do not see the event. `passed`: it paused the
   * task once, and the stream goes on behind it.
   */
  encodeEvent(event: StreamResponse, passed?: boolean): string | undefined;
  encodePushConfig(config: PushConfig): string;
  encodePushConfigList(list: PushConfigList): string;
  /** What a successful deletion answers. */
  encodeDeleted(): string;
}
