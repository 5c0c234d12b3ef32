import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixedId } from '../../core/ids.js';

test('A01 an id is its prefix and a UUIDv7, and ids sort by their time', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31), fc.nat(2 ** 31), (first, second) => {
      const [a, b] = [first * 1_000, second * 1_000].map((millis) =>
        prefixedId('task', millis, randomUUID()),
      );
      expect(a).toMatch(/^task\.[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      if (first !== second) expect(a! < b!).toBe(first < second);
    }),
  );
});

test('A01 two ids of the same millisecond differ', () => {
  const ids = new Set(
    Array.from({ length: 1_000 }, () => prefixedId('msg', 1_700_000_000_000, randomUUID())),
  );
  expect(ids.size).toBe(1_000);
});
