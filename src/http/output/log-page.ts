// Schema of the page of a log, such as events and changes.

import { Type } from 'typebox';

/** The page of a list that has no end: there is always a cursor to go on from. */
export const LogPageSchema = Type.Object({
  limit: Type.Integer({ description: 'The page size: the requested one, or the tier’s maximum.' }),
  hasMore: Type.Boolean(),
  nextCursor: Type.String({
    description: 'Always set: send it as `after` to get what comes next, now or later.',
  }),
});
