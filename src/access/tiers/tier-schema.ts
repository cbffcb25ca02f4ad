// Schema of a tier's name in responses.

import { Type } from 'typebox';
import { PLANS, type Tier } from './tiers.ts';

export const TierSchema = Type.Unsafe<Tier>({
  type: 'string',
  enum: ['anonymous', ...PLANS],
  description: 'The tier of the caller; `anonymous` without credentials.',
});
