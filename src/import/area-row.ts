// Drafts of areas from the filled fields of a record and its geometry.

import type { AreaDraft } from '../areas/area.ts';
import { cutAtAntimeridian } from '../geometry/antimeridian-cut.ts';
import { boundaryFault } from '../geometry/boundary-fault.ts';
import type { Boundary } from '../geometry/geometry.ts';
import type { AreaType } from '../listings/vocabulary.ts';
import type { SourceRecord } from './formats/record.ts';
import type { FieldValues } from './mapping/row.ts';
import type { Fault } from './mapping/rule.ts';

/** What is wrong with the record's geometry; null also when it has none, for an area may lack a boundary. */
export function geometryFault({ geometry }: SourceRecord): Fault | null {
  const reason = geometry === null || geometry === undefined ? null : boundaryFault(geometry);
  return reason === null ? null : { column: '', value: '', reason };
}

export function areaOf(values: FieldValues, { geometry }: SourceRecord): AreaDraft {
  const codes = ['fips', 'postal', 'iso'].flatMap((name) => {
    const code = values.text(`codes.${name}`);
    return code === null ? [] : [[name, code] as const];
  });
  const otherParents = values.list<string>('otherParents');
  const timeZone = values.text('timezone');
  return {
    type: values.choice<AreaType>('type', 'custom'),
    externalId: values.text('id') ?? '',
    name: values.text('name') ?? '',
    aliases: values.list('aliases'),
    codes: Object.fromEntries(codes),
    parentReference: values.text('parent'),
    // Left out where there are none: the digest of an area stays what it was.
    ...(otherParents.length > 0 && { otherParents }),
    population: values.number('population'),
    ...(timeZone !== null && { timeZone }),
    boundary: geometry ? cutAtAntimeridian(geometry as Boundary) : null,
  };
}
