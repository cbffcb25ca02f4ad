// Worker thread that extracts the script of the API reference from its package.

import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

const app = fastify({ logger: false });
await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
const script = await app.inject('/js/scalar.js');
if (script.statusCode !== 200) throw new Error(`The package of the reference answered ${script.statusCode}`);
parentPort?.postMessage(await promisify(gzip)(script.rawPayload));
