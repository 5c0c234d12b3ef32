import type { Logger } from 'pino';
import type { Journal } from '../core/journal.js';
import { Dispatcher, TemporalConnection } from '../dispatch/index.js';
import { openSqliteJournal } from '../journal/index.js';
import { installRuntime } from '../worker/index.js';
import type { Closing } from './closing.js';
import type { Settings } from './settings.js';

/** What an API and a worker both stand on. */
export interface Backbone {
  journal: Journal;
  temporal: TemporalConnection;
  dispatcher: Dispatcher;
}

/** Opens the journal and begins to connect to Temporal and to empty the outbox. */
export async function openBackbone(
  settings: Settings,
  temporalAddress: string,
  log: Logger,
  closing: Closing,
): Promise<Backbone> {
  installRuntime(log);
  const { file, ...retention } = settings.journal;
  const journal = await openSqliteJournal({ file, ...retention });
  closing.add('journal', () => journal.close());
  const { namespace, taskQueue } = settings.temporal;
  const temporal = new TemporalConnection({ address: temporalAddress, namespace }, log);
  closing.add('connection', () => temporal.close());
  const dispatcher = new Dispatcher({ journal, temporal, taskQueue, log }).start();
  closing.add('dispatcher', () => dispatcher.close());
  return { journal, temporal, dispatcher };
}
