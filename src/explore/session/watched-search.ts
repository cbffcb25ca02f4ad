// Body that watches what a view of the explorer shows: the filters of its URL as members of POST /v1/watchers.

import type { TObject } from 'typebox';
import { itemSchema, parametersByName } from '../../http/input/parameter-table.ts';
import { asValueSchema, type ValueSchema } from '../../http/input/values.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../search/query/parameters.ts';

/** What shapes a page of results, and is no filter. */
const OF_PAGES = ['for', 'sort', 'cursor', 'zoom', 'limit', 'listingId'];

/** The target of a watcher. What the API would refuse stays in it, so that it says why. */
export function watchedTarget(query: URLSearchParams): object {
  const listingId = query.get('listingId');
  if (listingId !== null) return { type: 'listing', listingId };
  const listingType = query.get('for') === 'rental' ? 'rental' : 'sale';
  const schema: TObject = listingType === 'rental' ? RentalSearchQuery : SaleSearchQuery;
  const names = parametersByName(schema);
  const members = [...new Set(query.keys())]
    .filter((name) => !OF_PAGES.includes(name))
    .map((name) => {
      const property = schema.properties[names.get(name) ?? name];
      const text = query.getAll(name).join(',');
      return [name, property === undefined ? text : memberOf(asValueSchema(property), text)];
    });
  return { type: 'search', listingType, query: Object.fromEntries(members) };
}

function memberOf(schema: ValueSchema, text: string): unknown {
  const items = itemSchema(schema);
  return items === null ? scalarOf(schema, text) : text.split(',').map((item) => scalarOf(items, item));
}

function scalarOf({ type }: ValueSchema, text: string): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}
