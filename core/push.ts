/** A caller's wish to be told of a task by HTTP (specification section 4.3.1). */
export interface PushConfig {
  /** Unique in its task; chosen by the caller, or by the server. */
  id: string;
  taskId: string;
  /** Where to POST to: http or https. */
  url: string;
  /** Sent back as it is, so that the receiver knows the sender. */
  token?: string;
  authentication?: PushAuthentication;
}

/** What the `Authorization` header of a delivery is made of: scheme, blank, credentials. */
export interface PushAuthentication {
  /** Such as `Bearer`. */
  scheme: string;
  credentials?: string;
}

/** As a caller gives it: beside a send, or for a task that exists. */
export type NewPushConfig = Omit<PushConfig, 'id' | 'taskId'> & { id?: string };
