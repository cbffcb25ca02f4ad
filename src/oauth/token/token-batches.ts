// Batches of exchanges at the token endpoint: those that come at once share a statement, and each is judged alone.

import type { Clock } from '../../lib/clock.ts';
import { batch } from '../../postgres/client/batch.ts';
import type { Database } from '../../postgres/client/database.ts';
import {
  type CodeRow,
  findCodes,
  findRefreshTokens,
  type Redemption,
  type RedemptionOutcome,
  type RefreshTokenRow,
  type Rotation,
  type RotationResult,
  redeemCodes,
  rotateRefreshTokens,
} from './token-store.ts';

/** All throw DATABASE_UNAVAILABLE, and then have changed nothing unless their connection broke. Hashes are hexadecimal. */
export interface TokenBatches {
  findCode(hash: string): Promise<CodeRow | undefined>;
  redeemCode(redemption: Redemption): Promise<RedemptionOutcome>;
  findRefreshToken(hash: string): Promise<RefreshTokenRow | undefined>;
  rotateRefreshToken(rotation: Rotation): Promise<RotationResult>;
}

export function createTokenBatches(database: Database, clock: Clock): TokenBatches {
  const now = () => new Date(clock.now());
  return {
    findCode: batch((hashes) => database.read((sql) => findCodes(sql, hashes, now()), ONCE)),
    redeemCode: batch((all) =>
      database.writeByDeadline((sql, deadline) => redeemCodes(sql, all, deadline), ONCE),
    ),
    findRefreshToken: batch((hashes) => database.read((sql) => findRefreshTokens(sql, hashes, now()), ONCE)),
    rotateRefreshToken: batch((all) =>
      database.writeByDeadline((sql, deadline) => rotateRefreshTokens(sql, all, deadline), ONCE),
    ),
  };
}

/** The best plan of each is by key, whatever the values. */
const ONCE = { planned: 'once' } as const;
