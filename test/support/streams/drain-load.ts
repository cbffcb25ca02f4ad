// Requests at a steady rate, as a balancer sends them: to one process until it says that it is leaving, then to the other.

import { Agent, get as httpGet } from 'node:http';

/** What became of requests, counted by how they ended. */
export type Outcomes = Record<string, number>;

export interface SteadyLoad {
  /** Requests that have ended so far. */
  answered(): number;
  /** Ends the load; gives what became of all requests. */
  stop(): Promise<Outcomes>;
}

interface Target {
  readonly urls: readonly [string, string];
  readonly key: string;
}

const STEP_MS = 10;

/** Sends requests on reused connections, so many a second, whatever has been answered by then. */
export function startLoad({ urls, key }: Target, perSecond: number): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const outcomes: Outcomes = {};
  const underWay = new Set<Promise<void>>();
  let at = 0;
  async function send(): Promise<void> {
    const status = await ask(agent, urls[at] ?? '', key);
    const left = status === '503' || status === 'ECONNREFUSED';
    if (left) at = 1;
    const outcome = left ? `taken over ${await ask(agent, urls[1], key)}` : status;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  const timer = setInterval(() => {
    for (let sent = 0; sent < (perSecond * STEP_MS) / 1000; sent++) {
      const sending: Promise<void> = send().finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
  }, STEP_MS);
  return {
    answered: () => Object.values(outcomes).reduce((sum, count) => sum + count, 0),
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      agent.destroy();
      return outcomes;
    },
  };
}

/** The status, or the system's name for what went wrong. */
function ask(agent: Agent, url: string, key: string): Promise<string> {
  return new Promise((resolve) => {
    const request = httpGet(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume();
      response.once('end', () => resolve(String(response.statusCode)));
      response.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
    });
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
  });
}
