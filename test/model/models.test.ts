import { expect, test } from 'vitest';
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
  expect(models.get()?.model.modelId).toBe('m-1');
  expect(models.get('m-2')?.model.modelId).toBe('m-2');
  expect(models.get('scripted-demo')?.model.modelId).toBe('scripted-demo');
  expect(models.get('other')).toBeUndefined();
  expect(createModels().get()?.model.modelId).toBe('scripted-demo');
});

test.each([
  [{ baseURL: 'not a url' }, 'is not a URL'],
  [{ baseURL: 'file:///etc/passwd' }, 'must be http or https'],
  [{ baseURL: 'https://user:hunter2@example.com/v1' }, 'must not carry credentials'],
  [{ model: '' }, 'needs a model name'],
  [{ model: 'scripted-demo' }, 'the name of the demo model'],
  [{ provider: 'openai' as const, apiKey: undefined }, 'needs an API key'],
  [{ apiKey: 'sk-1 \n' }, 'characters that no key has'],
])('E02 a wrong endpoint is named at start, without its secrets: %o', (wrong, says) => {
  const create = (): unknown => createModels({ endpoints: [{ ...endpoint, apiKey: 'sk-1', ...wrong }] });
  expect(create).toThrow(says);
  expect(create).not.toThrow(/hunter2|sk-1/);
});

test('E02 two models of one name are refused', () => {
  expect(() => createModels({ endpoints: [endpoint, endpoint] })).toThrow("two models are named 'm-1'");
});

test('E02 the default may be any of them, and must be one of them', () => {
  const endpoints = [endpoint, { ...endpoint, model: 'm-2' }];
  expect(createModels({ endpoints, default: 'm-2' }).get()?.name).toBe('m-2');
  expect(createModels({ endpoints, default: 'scripted-demo' }).get()?.name).toBe('scripted-demo');
  expect(() => createModels({ endpoints, default: 'm-3' })).toThrow("'m-3' is not among the models");
});
