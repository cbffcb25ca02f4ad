// Page of a list as the API describes it: its limit and its cursors.

import { Type } from 'typebox';
import { nullable } from './record.ts';

export const PageSchema = Type.Object(
  {
    limit: Type.Integer({
      description: 'The page size: the requested one, or the tier’s maximum.',
    }),
    hasMore: Type.Boolean(),
    nextCursor: nullable(Type.String()),
    prevCursor: nullable(Type.String()),
  },
  { $id: 'Page' },
);
