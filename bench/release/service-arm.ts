// Server of the service by the sources of a folder.

import { join } from 'node:path';

await import(join(process.env.TREE ?? '', 'bench/service.ts'));
