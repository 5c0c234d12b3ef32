import { sign, type KeyObject } from 'node:crypto';
import type { PushConfig } from '../core/push.js';

export interface DeliveryStamp {
  /** The delivery's (see `deliveryId`). */
  id: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Ed25519. */
  signingKey?: KeyObject | undefined;
}

/**
 * The headers of a delivery: who it is from, as the config says, and what it is, by Standard Webhooks
 * (`webhook-id`, `webhook-timestamp`, and with a key `webhook-signature`, version v1a: Ed25519).
 */
export function deliveryHeaders(
  { token, authentication }: PushConfig,
  content: { type: string; body: string },
  { id, now, signingKey }: DeliveryStamp,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  return {
    'content-type': content.type,
    'user-agent': 'a2a-temporal',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signingKey && { 'webhook-signature': signature(signingKey, `${id}.${timestamp}.${content.body}`) }),
    ...(authentication && { authorization: credentialsOf(authentication) }),
    ...(token !== undefined && { 'x-a2a-notification-token': token }),
  };
}

function signature(key: KeyObject, content: string): string {
  return `v1a,${sign(null, Buffer.from(content), key).toString('base64')}`;
}

function credentialsOf({ scheme, credentials }: NonNullable<PushConfig['authentication']>): string {
  return credentials === undefined ? scheme : `${scheme} ${credentials}`;
}
