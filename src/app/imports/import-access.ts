// Access of imports to the network: public addresses, and what IMPORT_ALLOW permits.

import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Internet } from '../../lib/network/internet.ts';
import { createNetworkAccess, type NetworkAccess } from '../../lib/network/network-access.ts';
import { databasePorts } from '../webhooks.ts';

export type ImportAccessPlace = Pick<Config, 'importAllow' | 'databaseUrl' | 'port'>;

export const importAccess = (
  { importAllow, databaseUrl, port }: ImportAccessPlace,
  clock: Clock,
  internet?: Internet,
): NetworkAccess =>
  createNetworkAccess({
    clock,
    setting: 'IMPORT_ALLOW',
    allow: importAllow,
    ownPorts: () => [port, ...databasePorts(databaseUrl)],
    internet,
  });
