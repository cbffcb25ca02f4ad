// Stretch of network in a process of its own, so that what the test is busy with delays nothing; stopped, it is a black hole.

import { followParent } from '../process/forked-service.ts';
import { type FaultTarget, startFaultProxy } from './fault-proxy.ts';

const target = JSON.parse(process.argv[2] ?? '{}') as FaultTarget;
const { port } = await startFaultProxy({ after: () => {} }, target);
followParent(port, () => ({}));
