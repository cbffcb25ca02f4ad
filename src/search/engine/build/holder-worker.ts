// Thread of a last holder: has what it was given until it is ended.

import { parentPort } from 'node:worker_threads';

// Who listens stays.
parentPort?.on('message', () => {});
