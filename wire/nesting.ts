/**
 * Why free-form JSON (metadata, data) cannot be taken, or undefined where it can: nested more than
 * `limit` levels deep, or holding a number that JSON cannot say again (`1e999` reads as Infinity). Walks
 * with a stack of its own, since recursion over hostile input would end the call stack.
 */
export function refusalOf(json: unknown, limit: number): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: json, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return 'holds a number that is out of range';
    if (typeof value !== 'object' || value === null) continue;
    if (depth > limit) return `is nested more than ${limit} levels deep`;
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
  }
  return undefined;
}
