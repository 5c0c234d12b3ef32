import { expect, test } from 'vitest';
import { retryAfterMillis } from '../../activities/model/failures.js';
import { createModels } from '../../activities/model/models.js';

const endpoint = { baseURL: 'http://127.0.0.1:1/v1', model: 'm-1' };

test('E02 endpoints by name: the first is the default, the scripted demo model always there', () => {
  const models = createModels({
    endpoints: [
      { ...endpoint, name: 'small' },
      { ...endpoint, model: 'm-2' },
    ],
  });
  expect(models.names).toEqual(['small', 'm-2', 'scripted-demo']);
  expect(models.get()?.modelId).toBe('m-1');
  expect(models.get('m-2')?.modelId).toBe('m-2');
  expect(models.get('scripted-demo')?.modelId).toBe('scripted-demo');
  expect(models.get('other')).toBeUndefined();
  expect(createModels().get()?.modelId).toBe('scripted-demo');
});

test.each([
  [{ baseURL: 'not a url' }, 'is not a URL'],
  [{ baseURL: 'file:///etc/passwd' }, 'must be http or https'],
  [{ baseURL: 'https://user:hunter2@example.com/v1' }, 'must not carry credentials'],
  [{ model: '' }, 'needs a model name'],
])('E02 a wrong endpoint is named at start, without its secrets: %o', (wrong, says) => {
  const create = (): unknown => createModels({ endpoints: [{ ...endpoint, apiKey: 'sk-1', ...wrong }] });
  expect(create).toThrow(says);
  expect(create).not.toThrow(/hunter2|sk-1/);
});

test('E02 two models of one name are refused', () => {
  expect(() => createModels({ endpoints: [endpoint, endpoint] })).toThrow("two models are named 'm-1'");
});

test('E02 Retry-After in all its forms', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(retryAfterMillis({ 'retry-after': '20' }, now)).toBe(20_000);
  expect(retryAfterMillis({ 'retry-after': '0.5' }, now)).toBe(500);
  expect(retryAfterMillis({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, now)).toBe(60_000);
  expect(retryAfterMillis({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, now)).toBe(0);
  expect(retryAfterMillis({ 'retry-after-ms': '250', 'retry-after': '1' }, now)).toBe(250);
  for (const value of ['', 'soon', '-5'])
    expect(retryAfterMillis({ 'retry-after': value }, now) ?? 0).toBe(0);
  expect(retryAfterMillis({}, now)).toBeUndefined();
});
