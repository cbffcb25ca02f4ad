// Schema of totals in responses.

import { Type } from 'typebox';
import { nullable } from '../../listings/record.ts';

export const TotalSchema = nullable(
  Type.Object(
    {
      value: Type.Integer(),
      relation: Type.Unsafe<'exact'>({ type: 'string', enum: ['exact'] }),
    },
    { description: 'All results, counted; null with `count=none`, and where `meta.totalNote` says why.' },
  ),
);

/** A member of `meta`. */
export const TotalNoteSchema = nullable(
  Type.String({
    description:
      'Why `total` is null although it was not declined: counting would have held up the page. Otherwise null.',
  }),
);
