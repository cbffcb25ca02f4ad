// Run of the fuzzer against a service: so many cases, some at a time, and everything that went wrong.

import { createRandom } from '../check/random.ts';
import { send } from '../mcp/messages.ts';
import { createMcpFuzzer, type FuzzedTool } from './mcp-requests.ts';
import { createOAuthFuzzer } from './oauth-requests.ts';
import { createFuzzer, type Document, type FuzzCase } from './requests.ts';
import { type FuzzService, sendBytes } from './service.ts';

export interface FuzzResult {
  /** How often each status came; 0: the connection ended without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Cases that went wrong, each with the bytes that do it again. */
  readonly wrong: readonly string[];
}

/** A feed of events has no end. */
const FEED = /^HTTP\/1\.1 200 .*^content-type: text\/event-stream/ims;

/** A 503 that a client can bring about by asking for too much, in the words of the API and of OAuth. */
const DEFINED =
  /"code":"(?:SUBSCRIPTIONS_UNAVAILABLE|OVERLOADED|DATABASE_UNAVAILABLE)"|"error":"temporarily_unavailable"/;

export interface FuzzOptions {
  readonly cases: number;
  readonly seed: number;
  /** Milliseconds. */
  readonly patience: number;
  readonly atOnce?: number;
}

/** Bends what the OpenAPI document describes. */
export async function fuzz(service: FuzzService, options: FuzzOptions): Promise<FuzzResult> {
  const document = (await (await fetch(`http://127.0.0.1:${service.port}/openapi.json`)).json()) as Document;
  return run(service, createFuzzer(document, service, createRandom(options.seed)), options);
}

/** Bends what clients and people send to the authorization server. */
export function fuzzOAuth(service: FuzzService, options: FuzzOptions): Promise<FuzzResult> {
  return run(service, createOAuthFuzzer(createRandom(options.seed)), options);
}

/** Bends what agents send to the MCP endpoint. */
export async function fuzzMcp(service: FuzzService, options: FuzzOptions): Promise<FuzzResult> {
  const place = { url: `http://127.0.0.1:${service.port}` };
  const { result } = await send(place, 'tools/list', {}, { credential: service.key });
  const tools = result?.tools as readonly FuzzedTool[];
  return run(service, createMcpFuzzer(tools, service, createRandom(options.seed)), options);
}

async function run(
  service: FuzzService,
  next: () => FuzzCase,
  { cases, patience, atOnce = 24 }: FuzzOptions,
): Promise<FuzzResult> {
  const statuses: Record<number, number> = {};
  const wrong: string[] = [];
  let left = cases;
  async function work(): Promise<void> {
    while (left-- > 0) {
      const { bytes, open } = next();
      const { statuses: seen, text, hung } = await sendBytes(service.port, bytes, open, patience);
      for (const status of seen.length === 0 ? [0] : seen) statuses[status] = (statuses[status] ?? 0) + 1;
      const failed = seen.some((status) => status >= 500 && !(status === 503 && DEFINED.test(text)));
      if (failed || (hung && !FEED.test(text)))
        wrong.push(
          `${hung ? 'hung' : seen.join()}: ${JSON.stringify(bytes.toString('latin1').slice(0, 600))}`,
        );
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return { statuses, wrong };
}
