import { flag, timeLimit, whole } from './setting-values.js';
import { settings } from './setting.js';

/** Of push notifications: where they may go, and when a receiver that fails is tried again. */
export const WEBHOOK_SETTINGS = settings({
  WEBHOOKS_ALLOW_PRIVATE: {
    schema: flag,
    default: 'false',
    meaning:
      'Let push notifications go to loopback and private addresses. For development: whoever can call the server can then reach what it can.',
  },
  WEBHOOK_TIMEOUT: {
    schema: timeLimit,
    default: '15s',
    meaning: 'A receiver of push notifications that has not answered by then has failed.',
  },
  WEBHOOK_FIRST_PAUSE: {
    schema: timeLimit,
    default: '1s',
    meaning: 'It is tried again after this long; each further pause is twice as long.',
  },
  WEBHOOK_LONGEST_PAUSE: { schema: timeLimit, default: '1h', meaning: 'But none is longer than this.' },
  WEBHOOK_GIVE_UP_AFTER: {
    schema: timeLimit,
    default: '24h',
    meaning: 'A receiver that has failed for this long is given up.',
  },
  MAX_WEBHOOKS_PER_TASK: {
    schema: whole(1, 100),
    default: '20',
    meaning: 'Push notification configs that a task may have.',
  },
});
