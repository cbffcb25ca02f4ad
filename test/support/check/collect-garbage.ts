// Collection of garbage when a test asks for it.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects now: all that is garbage, or young objects alone. */
export const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
