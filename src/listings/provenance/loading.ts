// First load of a source, as answers tell of it while it is under way.

import { type Static, Type } from 'typebox';
import { nullable } from '../record.ts';

const LoadingObject = Type.Object(
  {
    source: Type.String({ description: 'The id of the source, which is its listings’ `provider.id`.' }),
    records: Type.Integer({ description: 'Records read so far.' }),
    total: nullable(Type.Integer({ description: 'Of how many; null where the source does not tell.' })),
  },
  {
    $id: 'Loading',
    description: 'How far the first load of a source is; what is answered meanwhile rests on what is there.',
  },
);
export type Loading = Static<typeof LoadingObject>;

/** A member of `meta`: null unless a source loads for the first time. */
export const LoadingSchema = nullable(LoadingObject);

/** Finds how far the first load is; null: none is under way. */
export type FindLoading = () => Promise<Loading | null>;
