// Conditions that licences add to a search: a listing that is closed to the reader is not there for any question. Pure.

import type { Reach } from '../../access/tiers/reach.ts';
import type { Condition } from './condition.ts';

/** What a listing has to meet so that this reader may see it; nothing where everything is open. */
export const openConditions = ({ isWhole, open }: Reach): Condition[] =>
  isWhole ? [] : [{ kind: 'words', column: 'licence', values: open.map(String) }];

export const isOpenCondition = (condition: Condition): boolean =>
  condition.kind === 'words' && condition.column === 'licence';
