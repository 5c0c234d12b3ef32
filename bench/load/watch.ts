import { sharedNow } from '../serve.js';
import { sendMessage } from './requests.js';
import { openStream } from './sse.js';

/** Of the frames so far: when each came, on the shared clock. */
let arrivals: number[] = [];
let running: Promise<void> = Promise.resolve();

/** Opens one stream and goes on reading it; `watched` tells what came. */
export async function watch(options: { url: string; text: string }): Promise<void> {
  const mine: number[] = (arrivals = []);
  await new Promise<void>((resolve, reject) => {
    running = openStream(options.url, sendMessage({ text: options.text, stream: true }), () => {
      mine.push(sharedNow());
      resolve();
    }).done;
    running.catch(reject);
  });
}

/** Arrival times of the stream's frames; with `whole` once it has ended. */
export async function watched(options: { whole?: boolean }): Promise<number[]> {
  if (options.whole) await running;
  return arrivals;
}
