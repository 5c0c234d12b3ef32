/**
 * Prefixed UUIDv7 (A01): `task.0192f4c8-…`. The first 48 bits are milliseconds since the epoch, so that
 * ids sort by the time at which they were made. Pure: the caller gives time and randomness, which in a
 * workflow must be Temporal's deterministic ones.
 */
export type IdPrefix = 'task' | 'msg' | 'art' | 'ctx' | 'push';

/** `randomUuid` is any UUID string; its digits serve as the random bits. */
export function prefixedId(prefix: IdPrefix, millis: number, randomUuid: string): string {
  const time = millis.toString(16).padStart(12, '0').slice(-12);
  const random = randomUuid.replaceAll('-', '');
  const variant = ((parseInt(random.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${prefix}.${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(13, 16)}-${variant}${random.slice(17, 20)}-${random.slice(20, 32)}`;
}
