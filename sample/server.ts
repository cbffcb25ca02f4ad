// HTTP server of the sample: which path answers what.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Answer, errorAnswer, odataError, readBody, write } from './answer.ts';
import { answerControl, type ControlParts } from './control.ts';
import { type RequestKind, writeFaulty } from './faults.ts';
import { readAreas } from './land/land.ts';
import type { Spelling } from './odata/lookups.ts';
import { answerOData, kindOf } from './odata/routes.ts';
import { answerPhoto } from './photos/routes.ts';
import type { Vendor } from './vendors/vendor.ts';
import type { World } from './world.ts';

export interface ServerParts extends Omit<ControlParts, 'requests'> {
  readonly spelling: Spelling;
  /** Where others have the pictures from; null: from here. */
  readonly photosUrl: string | null;
  /** Answers as the servers of a vendor do; null: as none in particular. */
  readonly vendor: Vendor | null;
}

/** A server that is not yet listening. It learns its own address once it is. */
export function createSampleServer(parts: ServerParts): Server {
  const requests: Record<RequestKind, number> = {
    token: 0,
    collection: 0,
    entity: 0,
    metadata: 0,
    lookup: 0,
    photos: 0,
    areas: 0,
    other: 0,
  };
  const areas = lazy(readAreas);
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else write(response, errorAnswer(error));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = new URL(request.url ?? '/', ownUrl(server));
    const kind = kindOf(target.pathname);
    requests[kind] += 1;
    const fault = parts.faults.draw(kind);
    const answer = await answerSafely(request, target, kind);
    if (!fault) return write(response, answer);
    await writeFaulty(response, answer, fault, () => impostor(target));
  }

  async function answerSafely(request: IncomingMessage, target: URL, kind: RequestKind): Promise<Answer> {
    try {
      return await route(request, target, kind);
    } catch (error) {
      return errorAnswer(error);
    }
  }

  async function route(request: IncomingMessage, target: URL, kind: RequestKind): Promise<Answer> {
    const { world, tokens, spelling } = parts;
    const path = target.pathname;
    if (path.startsWith('/control/')) return answerControl(request, path, { ...parts, requests });
    const method = kind === 'token' ? 'POST' : 'GET';
    if (request.method !== method)
      return odataError(405, 'MethodNotAllowed', `Only ${method} is answered here`, { Allow: method });
    if (kind === 'token') {
      return tokens.grant(
        request.headers.authorization,
        request.headers['content-type'],
        await readBody(request),
      );
    }
    if (parts.vendor !== null && /^\/(?:odata|media)\//.test(path))
      return parts.vendor.answer(request, target, view(world, spelling));
    if (path.startsWith('/odata')) {
      tokens.check(request.headers.authorization);
      return answerOData(target, request.headers.prefer?.toString(), view(world, spelling));
    }
    if (kind === 'areas') {
      return {
        status: 200,
        headers: { 'Content-Type': 'application/geo+json', 'Cache-Control': 'public, max-age=3600' },
        body: areas(),
      };
    }
    if (kind === 'photos') return answerPhoto(target, view(world, spelling));
    return odataError(404, 'NotFound', 'There is nothing here; the listings are under /odata/Property');
  }

  /** The right answer to the question about another listing. */
  function impostor(target: URL): Answer {
    return answerOData(target, undefined, view(parts.world, parts.spelling), true);
  }

  function view(world: World, spelling: Spelling) {
    const baseUrl = ownUrl(server);
    return { world, spelling, baseUrl, photosUrl: parts.photosUrl ?? `${baseUrl}/photos` };
  }

  return server;
}

/** Where a listening server is reached on this machine. */
export function ownUrl(server: Server): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://127.0.0.1:${port}`;
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
