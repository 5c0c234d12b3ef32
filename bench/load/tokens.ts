import { sharedNow } from '../serve.js';
import { sendMessage } from './requests.js';
import { openStream } from './sse.js';

export interface TokenResult {
  /** Milliseconds from the model's token to its arrival here. */
  latencies: number[];
  tokens: number;
}

interface ArtifactFrame {
  result?: {
    artifactUpdate?: { append?: boolean; lastChunk?: boolean; artifact: { parts: { text?: string }[] } };
  };
}

/**
 * Opens so many streams at once, spread over one token's interval, and reads each to its end. The token
 * server's tokens say when each was made; a fragment may hold several.
 */
export async function readTokens(options: {
  url: string;
  streams: number;
  /** What the agent is told. */
  text: string;
  /** Tokens that each stream must have in all. */
  tokens: number;
  /** Tokens at the start of each stream that are not counted. */
  warmup: number;
}): Promise<TokenResult> {
  const latencies: number[] = [];
  const counts = await Promise.all(
    Array.from({ length: options.streams }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, (index * 1_000) / options.streams));
      let count = 0;
      const { done } = openStream(
        options.url,
        sendMessage({ text: options.text, stream: true }),
        ({ data }) => {
          const arrived = sharedNow();
          const update = (JSON.parse(data) as ArtifactFrame).result?.artifactUpdate;
          // The closing event repeats the whole text.
          if (update === undefined || update.lastChunk) return;
          for (const part of update.artifact.parts) {
            for (const stamp of part.text?.trim().split(' ') ?? []) {
              count += 1;
              if (count > options.warmup) latencies.push(arrived - Number(stamp));
            }
          }
        },
      );
      await done;
      return count;
    }),
  );
  const short = counts.find((count) => count !== options.tokens);
  if (short !== undefined) throw new Error(`a stream had ${short} of ${options.tokens} tokens`);
  return { latencies, tokens: counts.reduce((sum, count) => sum + count, 0) };
}
