// Records of JSON: the members of an object, or the properties, id and point of a GeoJSON feature, by column.

import type { RecordFields, SourceRecord } from './record.ts';
import { jsonRecord } from './rejected-form.ts';

/** A feature's properties, its id and its point; of another object its members. Inner objects are spread out. */
export function recordOf(value: unknown, where: Pick<SourceRecord, 'row' | 'place'>): SourceRecord {
  const rejectedText = (reason: string): string => jsonRecord(value, { place: where.place, reason });
  const common = { ...where, rejectedText, geometry: null };
  if (!isObject(value)) return { ...common, fields: {}, broken: 'it is not an object' };
  if (value.type !== 'Feature') return { ...common, fields: spread(value), broken: null };
  const { properties, geometry, id } = value;
  const [lng, lat] = pointOf(geometry);
  const point = lng === undefined ? {} : { '@lng': lng, '@lat': lat };
  const own = isObject(properties) ? spread(properties) : {};
  const fields = { ...own, ...(id === undefined ? {} : { '@id': id }), ...point };
  return { ...common, fields, broken: null, geometry };
}

function pointOf(geometry: unknown): unknown[] {
  const point = isObject(geometry) && geometry.type === 'Point' ? geometry.coordinates : null;
  return Array.isArray(point) ? point : [];
}

/** `{"address": {"city": "Reno"}}` has the column `address.city`. */
function spread(value: Record<string, unknown>, before = '', depth = 0): RecordFields {
  const fields: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member) && depth < 5) Object.assign(fields, spread(member, `${before}${name}.`, depth + 1));
    else fields[before + name] = member;
  }
  return fields;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
