import { z } from 'zod';

// What the text of an environment variable may stand for.

export const text = z.string();
export const optional = z.string().optional();
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `expected at least ${min}`).max(max, `expected at most ${max}`));
export const port = whole(0, 65_535);
export const hostPort = z.string().regex(/^[^\s/]+:\d+$/, 'expected host:port');
export const flag = z
  .enum(['true', 'false', '1', '0'], { error: 'expected true or false' })
  .transform((value) => value === 'true' || value === '1');
export const url = z
  .string()
  .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'expected an http or https URL')
  .transform((value) => value.replace(/\/+$/, ''));

const MILLIS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Milliseconds, written as `500ms`, `15s`, `10m`, `24h` or `30d`. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'expected a duration such as 15s, 10m, 24h or 30d')
  .transform((value) => {
    const [, amount, unit] = /^(\d+)(\D+)$/.exec(value) ?? [];
    return Number(amount) * (MILLIS[unit ?? ''] ?? NaN);
  });
/** One that makes no sense as zero. */
export const timeLimit = duration.refine((millis) => millis > 0, 'expected more than zero');
export const durationOrForever = z.union([z.literal('forever').transform(() => Infinity), duration], {
  error: 'expected a duration such as 15s, 10m, 24h or 30d, or forever',
});

const MEBIBYTE = 1024 * 1024;
/** Bytes, written as `65536`, `512KiB` or `10MiB`. */
export const size = z
  .string()
  .regex(/^\d+(KiB|MiB)?$/, 'expected a size such as 65536, 512KiB or 10MiB')
  .transform(
    (value) => parseInt(value, 10) * (value.endsWith('MiB') ? MEBIBYTE : value.endsWith('KiB') ? 1024 : 1),
  );
