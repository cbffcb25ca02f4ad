// Name of this process among those on one database: the same in all of its threads.

import { hostname } from 'node:os';

export const PROCESS_NAME = `${hostname()}:${process.pid}`;
