// Tokens of sources: their form, and how they are made and stored.

import { hash } from 'node:crypto';
import { randomToken } from '../../lib/secrets.ts';

const FORM = /^src_[\w-]{43}$/;

/** A new token: `src_` and 256 random bits. */
export const newToken = (): string => `src_${randomToken(32)}`;

export const isToken = (text: string): boolean => FORM.test(text);

/** What is stored of a token. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer');

/** A name for the token that reveals nothing of it. */
export const tokenId = (token: string): string => `stk_${tokenHash(token).toString('hex').slice(0, 12)}`;
