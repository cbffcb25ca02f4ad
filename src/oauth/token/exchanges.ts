// Owns what exchanges ask of the database: each asks for itself, and all who ask at once are served by one statement.

import { Batch } from '../../postgres/client/batch.ts';
import type { Database } from '../../postgres/client/database.ts';
import {
  type CodeRow,
  findCodes,
  findRefreshTokens,
  type Redeemed,
  type Redemption,
  type RefreshRow,
  type Rotation,
  redeemCodes,
  rotateTokens,
} from './token-store.ts';

/** All throw DATABASE_UNAVAILABLE, and then have changed nothing unless their connection broke. Hashes are hexadecimal. */
export interface Exchanges {
  findCode(hash: string): Promise<CodeRow | undefined>;
  findRefreshToken(hash: string): Promise<RefreshRow | undefined>;
  /** Takes a code and writes its tokens; undefined where any of what it is shown with is wrong, or it is over. */
  redeem(redemption: Redemption): Promise<Redeemed | undefined>;
  /** Replaces a refresh token; false when it had been replaced already, has expired, or its grant or subscription has ended. */
  rotate(rotation: Rotation): Promise<boolean>;
}

export function exchangesWith(database: Database): Exchanges {
  const codes = new Batch(async (hashes: readonly string[]) => {
    const found = await database.read((sql) => findCodes(sql, hashes));
    return (hash) => found.get(hash);
  });
  const refreshTokens = new Batch(async (hashes: readonly string[]) => {
    const found = await database.read((sql) => findRefreshTokens(sql, hashes));
    return (hash) => found.get(hash);
  });
  const redemptions = new Batch(async (all: readonly Redemption[]) => {
    const taken = await database.writeByDeadline((sql, deadline) => redeemCodes(sql, all, deadline));
    return (_redemption, at) => taken.get(at + 1);
  });
  const rotations = new Batch(async (all: readonly Rotation[]) => {
    const done = new Set(await database.writeByDeadline((sql, deadline) => rotateTokens(sql, all, deadline)));
    return (_rotation, at) => done.has(at + 1);
  });
  return {
    findCode: (hash) => codes.ask(hash),
    findRefreshToken: (hash) => refreshTokens.ask(hash),
    redeem: (redemption) => redemptions.ask(redemption),
    rotate: (rotation) => rotations.ask(rotation),
  };
}
