import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayBeDialled } from '../../webhooks/addresses.js';
import { AddressGuard, type Resolve } from '../../webhooks/guard.js';
import { openJournal, SCOPE, status } from '../journal/support.js';
import { openCourier, publish, startReceiver, watchedRun } from './couriers.js';

/** Names as the tests need them; others do not exist. */
const NAMES: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:21f::1'],
  'inside.example': ['127.0.0.1'],
  'mixed.example': ['93.184.216.34', '10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'localhost.': ['127.0.0.1'],
};
const resolve: Resolve = (host) => {
  const found = NAMES[host];
  if (found === undefined) return Promise.reject(Object.assign(new Error(host), { code: 'ENOTFOUND' }));
  return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};

const INSIDE = [
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/hook',
  'https://[::1]/',
  'http://[::]/',
  'http://0.0.0.0/',
  'http://[::ffff:10.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::10.0.0.1]/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/',
  'http://100.127.255.255/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd12:3456::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:db8::1]/',
  'http://168.63.129.16/',
  // The same in other words.
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://localhost./',
  'http://①②⑦.⓪.⓪.①/',
  'http://inside.example/',
  'http://mixed.example/',
  'http://metadata.example/',
  'http://mapped.example/',
];

describe('X17 addresses', () => {
  const guard = new AddressGuard({ allowPrivate: false, resolve });
  test.each(INSIDE)('X17 %s is refused', async (url) => {
    expect(await guard.refusal(url)).toBe('the address is not a public one');
  });

  test.each([
    ['ftp://public.example/', 'must be http or https'],
    ['file:///etc/passwd', 'must be http or https'],
    ['javascript:alert(1)', 'must be http or https'],
    ['https://user:pass@public.example/', 'must not carry credentials: give them as authentication'],
    ['https://user@public.example/', 'must not carry credentials: give them as authentication'],
    ['hook', 'is not a URL'],
    ['http://', 'is not a URL'],
    ['http://999.1.1.1/', 'is not a URL'],
  ])('X17 %s: %s', async (url, refusal) => {
    expect(await guard.refusal(url)).toBe(refusal);
  });

  test.each([
    'https://public.example/hook?with=query',
    'http://93.184.216.34:8080/',
    'https://[2606:2800:21f::1]/',
    'https://[64:ff9b::93.184.216.34]/',
    // Not known now: it is checked when it is dialled.
    'https://unknown.example/',
  ])('X17 %s is taken', async (url) => {
    expect(await guard.refusal(url)).toBeUndefined();
  });

  test('X17 a name server that does not answer holds nobody up', async () => {
    const silent = new AddressGuard({ allowPrivate: false, resolve: () => new Promise(() => undefined) });
    const began = performance.now();
    expect(await silent.refusal('https://slow.example/')).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  test('X17 for development loopback and private ones are allowed, link-local ones never', async () => {
    const lenient = new AddressGuard({ allowPrivate: true, resolve });
    for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://10.0.0.1/', 'http://inside.example/'])
      expect(await lenient.refusal(url)).toBeUndefined();
    for (const url of [
      'http://169.254.169.254/',
      'http://metadata.example/',
      'http://[fe80::1]/',
      'http://0.0.0.0/',
    ])
      expect(await lenient.refusal(url)).toBeDefined();
  });

  test('X17 whatever way an IPv4 address is put into IPv6, it is judged alike', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const hex = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
        const words = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
        const forms = [
          `::ffff:${address}`,
          `::ffff:${words}`,
          `0:0:0:0:0:ffff:${words}`,
          `64:ff9b::${words}`,
        ];
        const plain = mayBeDialled(address, false);
        for (const form of forms) expect([form, mayBeDialled(form, false)]).toEqual([form, plain]);
      }),
    );
  });

  test('X17 of IPv6 nothing outside the public part', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const [first = ''] = new URL(`http://[${address}]`).hostname.slice(1).split(':');
        const word = first === '' ? 0 : parseInt(first, 16);
        const embeds = /^(64:ff9b::|::ffff:)/.test(new URL(`http://[${address}]`).hostname.slice(1));
        fc.pre(!embeds);
        if (word < 0x2000 || word > 0x3fff) expect(mayBeDialled(address, false)).toBe(false);
      }),
    );
  });
});

describe('X17 at the dial', () => {
  test('X17 a name that leads elsewhere by then is not called, and nothing of its address is told', async () => {
    const [journal, inside] = [await openJournal(), await startReceiver()];
    let asked = 0;
    const rebinding: Resolve = () =>
      Promise.resolve([{ address: ++asked === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]);
    const guard = new AddressGuard({ allowPrivate: false, resolve: rebinding });
    const url = inside.urlOf('rebinding.example');
    expect(await guard.refusal(url)).toBeUndefined();
    const courier = openCourier(journal, { guard });
    const secrets = { token: 'tok', authentication: { scheme: 'Bearer', credentials: 'cred' } };
    const run = await watchedRun(journal, inside, { url, ...secrets });
    await publish(courier, run, status('TASK_STATE_WORKING'));
    await expect
      .poll(() => journal.readPushProgress(SCOPE, run.taskId, 'c', 10))
      .toMatchObject({
        state: 'retrying',
        lastError: 'the URL was refused: the address is not a public one',
      });
    expect(inside.received).toEqual([]);
    expect(asked).toBe(2);
  });

  test('X17 the connection goes to the very address that was checked', async () => {
    const [journal, receiver] = [await openJournal(), await startReceiver()];
    let asked = 0;
    const once: Resolve = () => {
      asked += 1;
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    };
    const courier = openCourier(journal, { guard: new AddressGuard({ allowPrivate: true, resolve: once }) });
    const run = await watchedRun(journal, receiver, { url: receiver.urlOf('only-here.example') });
    await publish(courier, run, status('TASK_STATE_WORKING'));
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(receiver.received[0]?.headers.host).toMatch(/^only-here\.example:/);
    expect(asked).toBe(1);
  });

  test('X17 an address in the URL itself is checked once more', async () => {
    const [journal, inside] = [await openJournal(), await startReceiver()];
    // As a config that was made while private addresses were allowed.
    const courier = openCourier(journal, { guard: new AddressGuard({ allowPrivate: false }) });
    const run = await watchedRun(journal, inside);
    await publish(courier, run, status('TASK_STATE_WORKING'));
    await expect
      .poll(async () => (await journal.readPushProgress(SCOPE, run.taskId, 'c', 1))?.lastError)
      .toMatch(/^the URL was refused/);
    expect(inside.received).toEqual([]);
  });

  test.each([
    ['http://unknown.example/', 'the host name is unknown'],
    ['http://127.0.0.1:1/', 'the connection was refused'],
  ])('C05 %s: %s', async (url, reason) => {
    const journal = await openJournal();
    const courier = openCourier(journal, {
      guard: new AddressGuard({ allowPrivate: true, resolve }),
    });
    const run = await watchedRun(journal, { url });
    await publish(courier, run, status('TASK_STATE_WORKING'));
    await expect
      .poll(async () => (await journal.readPushProgress(SCOPE, run.taskId, 'c', 1))?.lastError)
      .toBe(reason);
  });
});
