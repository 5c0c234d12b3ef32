import { serve } from '../serve.js';
import { sendOverGrpc } from './grpc.js';
import { closeSubscribers, openSubscribers, subscribersResult } from './subscribers.js';
import { readTokens } from './tokens.js';
import { call, send, untilCompleted } from './unary.js';
import { watch, watched } from './watch.js';

/** The load generator: a process of its own, told what to do by the scenario. */
serve({
  call,
  send,
  sendOverGrpc,
  untilCompleted,
  readTokens,
  openSubscribers,
  subscribersResult,
  closeSubscribers,
  watch,
  watched,
});
