// Follower of a feed, as EventSource is one: when its stream ends, it comes back with the last id of the stream.

export interface FollowedFeed {
  /** Ids of the events, in the order of arrival. */
  readonly events: readonly string[];
  /** Streams that were opened so far. */
  streams(): number;
  /** Whether one is being opened or read, and for how long it has been so. */
  state(): string;
  /** What was answered instead of a stream. */
  readonly refusals: readonly string[];
  stop(): Promise<void>;
}

/** Opens /v1/events/stream, and again whenever it ends, until it is stopped. */
export function followFeed(url: string, key: string): FollowedFeed {
  const [events, refusals]: [string[], string[]] = [[], []];
  const leaving = new AbortController();
  const { signal } = leaving;
  let [streams, lastId] = [0, ''];
  let [doing, since] = ['opening', performance.now()];
  const begin = (what: string): void => {
    [doing, since] = [what, performance.now()];
  };
  function receive(block: string): void {
    lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId;
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data !== undefined) events.push((JSON.parse(data) as { id: string }).id);
  }
  async function open(): Promise<Response> {
    begin('opening');
    const resume = lastId === '' ? {} : { 'last-event-id': lastId };
    const headers = { authorization: `Bearer ${key}`, ...resume };
    const response = await fetch(`${url}/v1/events/stream`, { headers, signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    streams += 1;
    return response;
  }
  async function read({ body }: Response): Promise<void> {
    let rest = '';
    begin('reading');
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const blocks = `${rest}${chunk}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) receive(block);
      begin('reading');
    }
  }
  const following = (async () => {
    while (!signal.aborted) {
      const response = await open().catch((error: Error) => void refusals.push(String(error.cause ?? error)));
      // A stream that is cut is one that ends.
      if (response) await read(response).catch(() => {});
    }
  })();
  return {
    events,
    streams: () => streams,
    state: () => `${doing} for ${Math.round(performance.now() - since)} ms, last id ${lastId}`,
    refusals,
    async stop() {
      leaving.abort();
      await following;
      // That of the end itself.
      if (refusals.at(-1)?.includes('AbortError')) refusals.pop();
    },
  };
}
