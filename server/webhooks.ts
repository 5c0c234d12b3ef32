import type { Logger } from 'pino';
import type { Command, Journal } from '../core/journal.js';
import { createCodecs } from '../wire/codecs.js';
import { Courier } from '../webhooks/courier.js';
import { AddressGuard } from '../webhooks/guard.js';
import { Sender } from '../webhooks/sender.js';
import type { Running } from './closing.js';
import type { Settings } from './settings.js';
import { readSigningKey } from './signing-key.js';

export interface WebhookDeps {
  settings: Settings;
  journal: Journal;
  deliver(commands: Command[]): void;
  log: Logger;
}

/** Delivers webhooks until closed. Throws where the signing key cannot be read. */
export async function startWebhooks({
  settings,
  journal,
  deliver,
  log,
}: WebhookDeps): Promise<Running & { courier: Courier }> {
  const { signingKeyFile } = settings;
  const { allowPrivate, timeout, schedule } = settings.webhooks;
  const key = signingKeyFile === undefined ? undefined : await readSigningKey(signingKeyFile);
  const sender = new Sender({ guard: new AddressGuard({ allowPrivate }), timeout });
  const courier = new Courier({
    journal,
    send: (outgoing, signal) => sender.send(outgoing, signal),
    // They only write here: nothing that they read has to be limited.
    codecs: createCodecs({ parts: Infinity, depth: Infinity, legacyFragments: false }),
    schedule,
    signingKey: key?.privateKey,
    deliver,
    log,
  }).start();
  return {
    courier,
    async close() {
      await courier.close();
      await sender.close();
    },
  };
}
