/** Milliseconds, or a duration such as `'90 seconds'`, `'5 minutes'`, `'2 days'`. */
export type Duration =
  | number
  | `${number} ${'ms' | 'second' | 'seconds' | 'minute' | 'minutes' | 'hour' | 'hours' | 'day' | 'days'}`;

const UNIT_MILLIS: Record<string, number> = {
  ms: 1,
  second: 1_000,
  seconds: 1_000,
  minute: 60_000,
  minutes: 60_000,
  hour: 3_600_000,
  hours: 3_600_000,
  day: 86_400_000,
  days: 86_400_000,
};

/** Temporal's timers take no more than about this. */
const CENTURY = 100 * 365 * 86_400_000;

/** Milliseconds. Throws on anything that is not a {@link Duration}, and on more than a hundred years. */
export function toMillis(duration: Duration): number {
  const millis = typeof duration === 'number' ? duration : parse(duration);
  // So that NaN is refused too.
  if (!(millis <= CENTURY)) throw new Error(`'${duration}' is not a duration`);
  return millis;
}

function parse(duration: string): number {
  const [amount, unit] = duration.split(' ');
  return Number(amount) * (UNIT_MILLIS[unit ?? ''] ?? NaN);
}
