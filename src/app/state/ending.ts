// End of an app: of everything, or of everything but the server, which then refuses requests.

import type { WebServer } from '../../http/server/server.ts';
import { maintenance } from './outgoing.ts';

export interface Ending {
  suspend(): Promise<void>;
  stop(): Promise<void>;
}

/** Stops the parts behind the server once, whether it goes on to refuse requests or stops too. */
export function createEnding(
  server: WebServer,
  stopParts: (drained: Promise<void>) => Promise<void>,
): Ending {
  let stopped: Promise<void> | undefined;
  return {
    suspend() {
      stopped ??= stopParts(server.suspend(maintenance));
      return stopped;
    },
    async stop() {
      const drained = server.drain();
      stopped ??= stopParts(drained);
      await Promise.all([stopped, drained]);
    },
  };
}
