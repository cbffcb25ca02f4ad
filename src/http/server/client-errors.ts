// Responses to requests that the HTTP parser rejected, for which there is no request or response object.

import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../../lib/problem.ts';
import { isStreaming } from '../input/body-stream.ts';
import { problemReply } from '../output/problem-document.ts';
import { baseHeaders } from '../output/reply.ts';
import type { Connections } from './connections.ts';

interface ErrorContext {
  readonly connections: Pick<Connections, 'afterAnswers'>;
  readonly publicUrl: string;
  readonly requestId: string;
}

interface ParserError extends Error {
  readonly code?: string | undefined;
  /** The last bytes that the parser received. */
  readonly rawPacket?: unknown;
}

/**
 * Sends a problem document and closes the connection once earlier requests are answered. The problem goes to `log`
 * unless the client has already left.
 */
export function answerClientError(
  error: ParserError,
  socket: Socket,
  { connections, log, ...context }: ErrorContext & { log: (problem: Problem) => void },
): void {
  // Its reader minds the time.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isStreaming(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  connections.afterAnswers(socket, (unanswered) => {
    // A request may be answered while its body still arrives; a second response would corrupt the first.
    if (!socket.writable || unanswered.some(({ headersSent }) => headersSent)) {
      socket.destroy();
      return;
    }
    const problem = toProblem(error);
    writeProblem(socket, problem, context);
    log(problem);
  });
}

/** Replaces the responses that Node would send by itself, without a body. */
export function answerOddRequests(server: Server, publicUrl: string, newRequestId: () => string): void {
  // An unknown expectation takes the normal path and is rejected there.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Socket) => {
    const problem = new Problem('METHOD_NOT_ALLOWED', 'This is not a proxy.', {
      headers: { allow: 'GET, POST' },
    });
    writeProblem(socket, problem, { publicUrl, requestId: newRequestId() });
  });
}

/** Writes a problem straight to a socket that has no response object, then closes it. */
function writeProblem(
  socket: Socket,
  problem: Problem,
  context: { readonly publicUrl: string; readonly requestId: string },
): void {
  const reply = problemReply(problem, context);
  const body = JSON.stringify(reply.json);
  const headers = {
    ...baseHeaders('/v1', context.publicUrl),
    ...reply.headers,
    'x-request-id': context.requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n`;
  socket.end(head + body);
  // A client that keeps sending would keep a half-closed socket open.
  socket.destroySoon();
}

function toProblem(error: ParserError): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongLine(error.rawPacket)
        ? new Problem('URI_TOO_LONG', 'The URL is too long.', { cause: error })
        : new Problem('HEADERS_TOO_LARGE', 'The headers are too large; the maximum is 16 KiB.', {
            cause: error,
          });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('REQUEST_TIMEOUT', 'The request took too long to arrive.', { cause: error });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('PAYLOAD_TOO_LARGE', 'The chunk extensions are too large.', { cause: error });
    default:
      return new Problem('INVALID_REQUEST', 'This is not a valid HTTP/1.1 request.', { cause: error });
  }
}

/** Whether the overflow happened in the request line: it counts as a header to the parser. */
function isLongLine(packet: unknown): boolean {
  if (!Buffer.isBuffer(packet) || !/^[A-Z]+ [/*h]/.test(packet.toString('latin1', 0, 16))) return false;
  const end = packet.indexOf('\n');
  return end < 0 || end > 8192;
}
