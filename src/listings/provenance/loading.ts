// Progress of a source's first load, as responses report it.

import { type Static, Type } from 'typebox';
import { nullable } from '../record.ts';

const LoadingObject = Type.Object(
  {
    source: Type.String({ description: 'The id of the source, the `provider.id` of its listings.' }),
    records: Type.Integer({ description: 'Records read so far.' }),
    total: nullable(
      Type.Integer({ description: 'Records in total; null if the source does not report it.' }),
    ),
  },
  {
    $id: 'Loading',
    description: 'Progress of a source’s first load. Until it ends, responses cover what is loaded so far.',
  },
);
export type Loading = Static<typeof LoadingObject>;

/** A member of `meta`: null unless a source loads for the first time. */
export const LoadingSchema = nullable(LoadingObject);

/** Finds the progress of the first load; null if none is running. */
export type FindLoading = () => Promise<Loading | null>;
