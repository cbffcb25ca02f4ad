// Types of the programs that the benchmarks compare with: they are installed only in bench, and only by who compares.

declare module 'better-sse' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Session {
    readonly isConnected: boolean;
  }

  export function createSession(
    request: IncomingMessage,
    response: ServerResponse,
    options: { readonly keepAlive: number },
  ): Promise<Session>;

  export function createChannel(): {
    register(session: Session): void;
    broadcast(data: unknown, event: string, options: { readonly eventId: string }): void;
  };
}

declare module '@fastify/sse' {
  import type { FastifyPluginAsync } from 'fastify';

  export interface SSEReplyInterface {
    keepAlive(): void;
    onClose(callback: () => void): void;
    send(message: object): Promise<void>;
  }

  export const fastifySSE: FastifyPluginAsync<{ readonly heartbeatInterval: number }>;
}

declare module 'graphile-worker' {
  export class Logger {
    constructor(factory: () => () => void);
  }

  export function run(options: {
    readonly connectionString: string;
    readonly concurrency: number;
    readonly noHandleSignals: boolean;
    readonly crontab: string;
    readonly logger: Logger;
    readonly taskList: Readonly<Record<string, (payload: unknown) => Promise<void>>>;
  }): Promise<{ stop(): Promise<void> }>;
}
