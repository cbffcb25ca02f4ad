// Names with a comma in a URL: one name if a listing has it, else several.

import type { TObject } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import type { RequestContext } from '../../http/frame/route.ts';
import { splitList } from '../../http/input/list-text.ts';
import { parametersByName } from '../../http/input/parameter-table.ts';
import { parseQuery } from '../../http/input/query.ts';
import type { Database } from '../../postgres/client/database.ts';
import { NAME_KINDS, nameKey } from '../query/name-kinds.ts';
import { findKnownNamesAt, type IdKind, type KeyedName } from '../sql/vocabulary-store.ts';

const ID_KEYS: Readonly<Record<IdKind, (text: string) => string>> = {
  agentId: (text) => text,
  officeId: (text) => text,
  mlsNumber: (text) => text.trim().toLowerCase(),
};

/** Longer texts are no name. */
const MAX_LENGTH = 120;
/** Texts with a comma that are looked up. */
const MAX_TEXTS = 50;

/** One occurrence of a filter that takes names. */
interface Occurrence {
  readonly parameter: KeyedName['kind'];
  readonly text: string;
}

/** The request that the names stand in. */
type NamingCall = Pick<RequestContext<Principal>, 'url' | 'caller'>;

/** Compiles the step for the queries of a schema: reads the names in the query of `url` again where they contain commas. */
export function compileWholeNames(schema: TObject) {
  const parameters = parametersByName(schema);
  return async <Query extends object>(
    database: Database,
    query: Query,
    { url, caller: { reach } }: NamingCall,
  ): Promise<Query> => {
    const start = url.indexOf('?');
    if (start < 0 || !/,|%2c/i.test(url)) return query;
    const occurrences = (parseQuery(url.slice(start + 1)).pairs ?? []).flatMap(({ name, value }) => {
      const parameter = parameters.get(name ?? '');
      return value !== null && isNamed(parameter) ? [{ parameter, text: value }] : [];
    });
    const several = occurrences.filter(isSeveral).slice(0, MAX_TEXTS);
    if (several.length === 0) return query;
    const known = await findKnownNamesAt(database, several.map(keyed), reach);
    const whole = new Set(several.filter((_, at) => known.has(at)));
    const changed = new Set([...whole].map(({ parameter }) => parameter));
    const valuesOf = (parameter: string): string[] =>
      occurrences
        .filter((each) => each.parameter === parameter)
        .flatMap((each) => (whole.has(each) ? [each.text] : (splitList(each.text, ',') ?? [])));
    return { ...query, ...Object.fromEntries([...changed].map((name) => [name, valuesOf(name)])) };
  };
}

const isNamed = (name: string | undefined): name is KeyedName['kind'] =>
  name !== undefined && (NAME_KINDS.some((kind) => kind === name) || Object.hasOwn(ID_KEYS, name));

/** Quotes tell already what is one name. */
const isSeveral = ({ text }: Occurrence): boolean =>
  text.includes(',') && !text.includes('"') && text.length <= MAX_LENGTH;

function keyed({ parameter, text }: Occurrence): KeyedName {
  const kind = NAME_KINDS.find((each) => each === parameter);
  const key = kind === undefined ? ID_KEYS[parameter as IdKind](text) : nameKey(kind, text);
  return { kind: parameter, key };
}
