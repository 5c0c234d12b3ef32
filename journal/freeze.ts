/** Without recursion: data may be nested deeper than the stack. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null || Object.isFrozen(one)) continue;
    Object.freeze(one);
    open.push(
      ...(Object.values(one) as unknown[]).filter((inner) => typeof inner === 'object' && inner !== null),
    );
  }
  return value;
}
