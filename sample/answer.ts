// Answer of a route, and its writing: routes return one of these and never touch the socket.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ODataError } from './odata/problem.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** The OData answer to an error; anything unforeseen is a 500 that says nothing of its cause. */
export function errorAnswer(error: unknown): Answer {
  if (error instanceof ODataError) return odataError(error.status, error.code, error.message, error.headers);
  process.stderr.write(`sample: ${error instanceof Error ? error.stack : String(error)}\n`);
  return odataError(500, 'InternalError', 'The sample market failed to answer');
}

export function odataError(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { error: { code, message } }, { 'OData-Version': '4.0', ...headers });
}

export function write(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

const MAX_BODY = 65_536;

/** The whole body as text; 413 when it is too large. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    const bytes = part as Buffer;
    length += bytes.length;
    if (length > MAX_BODY) throw new ODataError(413, 'PayloadTooLarge', `A body may have ${MAX_BODY} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
