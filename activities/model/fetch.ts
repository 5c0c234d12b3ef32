/** No byte came for the allowed time; the request was aborted. */
export class StalledError extends Error {
  constructor(millis: number) {
    super(`No byte came from the model for ${millis} ms`);
    this.name = 'StalledError';
  }
}

/**
 * `fetch` for model endpoints that gives up on a silent one: when neither the response's head nor the next
 * bytes of its body come for `stallMillis`, the request is aborted and the reader gets a
 * {@link StalledError}. It watches bytes and not events, so that a provider's keep-alive comments count.
 */
export function modelFetch({ stallMillis }: { stallMillis: number }): typeof fetch {
  return async (input, init) => {
    const silence = new AbortController();
    const watched = async <T>(bytes: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => silence.abort(new StalledError(stallMillis)), stallMillis);
      return bytes.finally(() => clearTimeout(timer));
    };
    const signal = init?.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
    const response = await watched(fetch(input, { ...init, signal }));
    if (!response.body) return response;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await watched(reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
