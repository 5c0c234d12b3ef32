import type { Callee } from '../children.js';
import type { TokenResult } from '../load/tokens.js';
import { paired, percentile } from '../measure.js';
import type { Scenario } from '../scenario.js';

const PER_SECOND = 30;
/** The first two seconds, while the streams open. */
const WARMUP = 60;

export const tokenLatency: Scenario = {
  name: 'token-latency',
  title: `Token from the model's endpoint to the SSE client, ${PER_SECOND} tokens/s a stream`,
  limit:
    '3,000 tokens/s keep one Node.js process busy to 95 % (0.35 ms a token: a third the web streams of the provider, a tenth garbage collection), so that they queue; 60 streams do not (docs/decisions/0012-what-a-task-costs.md).',
  async run(stack) {
    const load = await stack.load();
    const peer = await stack.workflowStreams();
    const product = await stack.product('start', await stack.tokenModel());
    const url = product.url('tokens');

    const ours = (streams: number, tokens: number) =>
      load.call<TokenResult>('readTokens', {
        url,
        streams,
        tokens,
        warmup: WARMUP,
        text: `tokens=${tokens} perSecond=${PER_SECOND}`,
      });
    const p50 = (reader: Promise<TokenResult>) => reader.then(({ latencies }) => percentile(latencies, 0.5));
    const theirs = (streams: number, tokens: number) => readPeer(peer, streams, tokens);

    const tokens = stack.size(450, 90);
    await ours(stack.size(20, 2), tokens);
    const wide = await ours(stack.size(100, 4), stack.size(900, 90));
    const few = stack.size(40, 2);
    const pair = await paired(
      stack.size(3, 1),
      () => p50(ours(few, tokens)),
      () => p50(theirs(few, tokens)),
    );
    return [
      { what: 'p50, 100 streams', unit: 'ms', ours: percentile(wide.latencies, 0.5), target: { atMost: 3 } },
      {
        what: 'p99, 100 streams',
        unit: 'ms',
        ours: percentile(wide.latencies, 0.99),
        target: { atMost: 30 },
      },
      { what: 'slowest token, 100 streams', unit: 'ms', ours: percentile(wide.latencies, 1) },
      {
        what: 'p50, 40 streams',
        unit: 'ms',
        ours: pair.ours,
        peer: { name: 'workflow-streams', value: pair.peer },
        ratio: pair.ratio,
        target: { atMost: 0.1 },
      },
    ];
  },
};

function readPeer(peer: Callee, streams: number, tokens: number): Promise<TokenResult> {
  return peer.call<TokenResult>('readTokens', { streams, tokens, perSecond: PER_SECOND, warmup: WARMUP });
}
