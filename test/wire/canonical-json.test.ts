import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../wire/canonical-json.js';

test('C06 the example of RFC 8785, section 3.2.2', () => {
  const given: unknown = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`);
  expect(canonicalJson(given)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
      String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('C06 keys are in the order of their UTF-16 units (RFC 8785, section 3.2.3), numbers among them too', () => {
  const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6', '10', '9', '__proto__'];
  const given = JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:0`).join()}}`) as object;
  const order = ['\r', '1', '10', '9', '__proto__', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
  expect(canonicalJson(given)).toBe(`{${order.map((key) => `${JSON.stringify(key)}:0`).join()}}`);
});

test('C06 equal values have one text, which reads back as the value', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      const canonical = canonicalJson(value);
      expect(JSON.parse(canonical)).toEqual(value);
      expect(canonicalJson(reversed(value))).toBe(canonical);
    }),
  );
});

/** The same value, its keys written in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
