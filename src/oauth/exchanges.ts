// Owns what exchanges ask of the database: each asks for itself, and all who ask at once are served by one statement.

import { Batch } from '../postgres/batch.ts';
import type { Database } from '../postgres/database.ts';
import {
  type CodeRow,
  findCodes,
  findRefreshTokens,
  type Redemption,
  type RefreshRow,
  type Rotation,
  redeemCodes,
  rotateTokens,
} from './token-store.ts';

/** All throw DATABASE_UNAVAILABLE. Hashes are hexadecimal. */
export interface Exchanges {
  findCode(hash: string): Promise<CodeRow | undefined>;
  findRefreshToken(hash: string): Promise<RefreshRow | undefined>;
  /** Takes a code and writes its tokens; false when somebody else took it, or its grant has ended. */
  redeem(redemption: Redemption): Promise<boolean>;
  /** Replaces a refresh token; false when it had been replaced already, has expired, or its grant has ended. */
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
    const done = new Set(await database.write((sql) => redeemCodes(sql, all)));
    return (_redemption, at) => done.has(at + 1);
  });
  const rotations = new Batch(async (all: readonly Rotation[]) => {
    const done = new Set(await database.write((sql) => rotateTokens(sql, all)));
    return (_rotation, at) => done.has(at + 1);
  });
  return {
    findCode: (hash) => codes.ask(hash),
    findRefreshToken: (hash) => refreshTokens.ask(hash),
    redeem: (redemption) => redemptions.ask(redemption),
    rotate: (rotation) => rotations.ask(rotation),
  };
}
