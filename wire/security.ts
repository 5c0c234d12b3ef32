/** A way for callers to prove who they are, in no dialect's words yet: each card writes it in its own. */
export type SecurityScheme = {
  /** Its key in a card. */
  name: string;
  description: string;
} & (
  | {
      /** In the Authorization header; `scheme` such as `Bearer`. */
      kind: 'http';
      scheme: string;
    }
  | {
      kind: 'apiKey';
      /** The header that carries the key. */
      header: string;
    }
);
