// Sample market under test: its process, and requests to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { INHERITED } from '../process/cli.ts';

const PROGRAM = join(import.meta.dirname, '../../../sample/main.ts');
export const CREDENTIALS = { id: 'tester', secret: 'quiet: please' };

export interface SampleProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it has said on standard error so far. */
  readonly complaints: string[];
  /** Fetches with a bearer, taken once and renewed after a 401 by `login`. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends JSON to a control address and gives the answer. */
  control(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  login(): Promise<string>;
  /** Closes its standard input and resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Starts a market of 500 listings that moves only by control. */
export async function startSample(...options: readonly string[]): Promise<SampleProcess> {
  const child = spawn(
    process.execPath,
    [PROGRAM, '--port', '0', '--interval', '0', '--listings', '500', ...options],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...INHERITED, SAMPLE_CLIENT_ID: CREDENTIALS.id, SAMPLE_CLIENT_SECRET: CREDENTIALS.secret },
    },
  );
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const url = await readyUrl(child, complaints);
  let token: string | null = null;
  const login = async (): Promise<string> => {
    token = await requestToken(url);
    return token;
  };
  return {
    url,
    child,
    complaints,
    login,
    async get(path, headers = {}) {
      const bearer = token ?? (await login());
      return fetch(new URL(path, url), {
        headers: { Authorization: `Bearer ${bearer}`, ...headers },
        redirect: 'manual',
      });
    },
    async control(method, path, body) {
      const init =
        body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
      const response = await fetch(`${url}/control/${path}`, { method, ...init });
      return { status: response.status, body: await response.json() };
    },
    async stop() {
      if (child.exitCode !== null) return child.exitCode;
      const ended = once(child, 'close');
      child.stdin?.end();
      await ended;
      return child.exitCode;
    },
  };
}

async function readyUrl(child: ChildProcess, complaints: readonly string[]): Promise<string> {
  if (!child.stdout) throw new Error('no standard output');
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const { ready, url, port } = JSON.parse(line) as { ready: boolean; url: string; port: number };
    if (!ready || url !== `http://127.0.0.1:${port}`) throw new Error(`not a ready line: ${line}`);
    return url;
  }
  await ended;
  throw new Error(`the sample ended: ${complaints.join('\n')}`);
}

/** A client credentials request, with changes to its form or headers. */
export function askToken(
  url: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'api', ...form });
  return fetch(`${url}/oauth/token`, { method: 'POST', body, headers });
}

async function requestToken(url: string): Promise<string> {
  const response = await askToken(url, { client_id: CREDENTIALS.id, client_secret: CREDENTIALS.secret });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}
