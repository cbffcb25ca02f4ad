// Vocabulary of a source: what its own lookups say that the values of its fields mean. Pure.

import { hash } from 'node:crypto';
import { dictionaryValues, displayValue, type Enumeration, fold } from './enumerations.ts';
import { FEATURE_FIELDS } from './home.ts';
import { type FieldNames, OF_CHILDREN } from './overrides.ts';
import { PROPERTY_FIELDS } from './property-fields.ts';

/** One value as its source explains it. */
export interface ExplainedValue {
  readonly origin: string;
  readonly lookup: string;
  readonly key: string;
  /** As people read it. */
  readonly value: string;
  /** The dictionary's value; null: it has none. */
  readonly standard: string | null;
  /** As a name; null: it has none. */
  readonly legacy: string | null;
  /** RFC 3339; null: it is not known. */
  readonly modifiedAt: string | null;
  /** Spellings that it had before. */
  readonly former: readonly string[];
  /** Whether the source no longer names it. */
  readonly isGone: boolean;
}

export interface Meaning {
  /** As people read it at the source. */
  readonly text: string;
  /** In the words of the dictionary, as far as it has one for it. */
  readonly value: string;
}

/** What a value of one field means, in whichever spelling it is sent; undefined: the source does not say, or says nothing new. */
export type FieldVocabulary = (sent: string) => Meaning | undefined;

export interface Vocabulary {
  readonly fields: ReadonlyMap<string, FieldVocabulary>;
  /** Changes where values that are mapped mean something else; empty: the source says nothing new. */
  readonly digest: string;
}

export const NO_VOCABULARY: Vocabulary = { fields: new Map(), digest: '' };

/** Fields whose values are shown as the source's own words. */
const LOCAL: readonly string[] = ['MlsStatus'];
/** Fields in which two spellings of a value are the same value. */
const FOLDED = new Set(FEATURE_FIELDS);

const MAPPED: readonly string[] = [...PROPERTY_FIELDS, ...OF_CHILDREN];
const MAPPED_SET = new Set(MAPPED);

/** Whether values of a field are mapped. `renamed`: the operator's names. */
export const isMapped = (field: string, renamed: FieldNames): boolean =>
  MAPPED_SET.has(field) || Object.hasOwn(renamed, field);

/** Names of lookups that values of a field may be in: those of the fields that are read for it, by `names`. */
function lookupsOf(field: string, names: Readonly<Record<string, string>>, renamed: FieldNames): string[] {
  const own = Object.keys(renamed).filter((name) => renamed[name] === field);
  return [...own, field].flatMap((name) => {
    const stated = Object.hasOwn(names, name) ? names[name] : undefined;
    // Annotations of $metadata are by the name of the field.
    return stated === undefined ? [name] : [stated, name];
  });
}

/** The lookups that the mapping wants, in their order. `names`: LookupName by field, where it is another; `renamed`: the operator's names. */
export const wantedLookups = (names: Readonly<Record<string, string>>, renamed: FieldNames): string[] => [
  ...new Set(MAPPED.flatMap((field) => lookupsOf(field, names, renamed)).sort()),
];

export function vocabularyOf(
  values: readonly ExplainedValue[],
  names: Readonly<Record<string, string>>,
  renamed: FieldNames,
): Vocabulary {
  const byLookup = Map.groupBy(values.toSorted(byWeight), ({ lookup }) => lookup);
  const fields = new Map<string, FieldVocabulary>();
  const said: unknown[] = [];
  for (const field of MAPPED) {
    const own = lookupsOf(field, names, renamed).flatMap((lookup) => byLookup.get(lookup) ?? []);
    if (own.length === 0) continue;
    const { exact, folded } = meaningsOf(field, own);
    if (exact.size + folded.size === 0) continue;
    fields.set(field, (sent) => exact.get(sent.trim()) ?? folded.get(fold(sent)));
    said.push([
      field,
      ...[exact, folded].map((meanings) => [...meanings].sort(([a], [b]) => (a < b ? -1 : 1))),
    ]);
  }
  const digest = said.length === 0 ? '' : hash('sha256', JSON.stringify(said), 'hex').slice(0, 12);
  return { fields, digest };
}

/** What a source still names counts first, then the resource, then what changed last. */
function byWeight(a: ExplainedValue, b: ExplainedValue): number {
  const moment = (each: ExplainedValue) => (each.modifiedAt === null ? 0 : Date.parse(each.modifiedAt));
  return (
    Number(a.isGone) - Number(b.isGone) ||
    (a.origin === b.origin ? 0 : a.origin > b.origin ? -1 : 1) ||
    moment(b) - moment(a) ||
    (a.key < b.key ? -1 : 1)
  );
}

type Meanings = ReadonlyMap<string, Meaning>;

/** Meanings by spelling, and by what spellings have in common where that is unmistakable; only of spellings that mean something else. */
function meaningsOf(
  field: string,
  values: readonly ExplainedValue[],
): { readonly exact: Meanings; readonly folded: Meanings } {
  const all = new Map<string, Meaning>();
  const add = (spelling: string | null, value: ExplainedValue): void => {
    if (spelling !== null && !all.has(spelling)) all.set(spelling, meaningOf(field, value, spelling));
  };
  const [gone, present] = [values.filter(({ isGone }) => isGone), values.filter(({ isGone }) => !isGone)];
  for (const value of present) add(value.value, value);
  for (const value of present) add(value.legacy, value);
  for (const value of [...present, ...gone])
    for (const spelling of value.isGone ? [value.value, value.legacy, ...value.former] : value.former)
      add(spelling, value);
  const exact = new Map([...all].filter(([spelling, meaning]) => isNews(field, spelling, meaning)));
  const common = Map.groupBy(all, ([spelling]) => fold(spelling));
  const folded = new Map<string, Meaning>();
  for (const [spelling, meaning] of exact) {
    const others = common.get(fold(spelling)) ?? [];
    if (others.every(([, other]) => other.value === meaning.value)) folded.set(fold(spelling), meaning);
  }
  return { exact, folded };
}

function meaningOf(field: string, { value: text, standard }: ExplainedValue, spelling: string): Meaning {
  if (LOCAL.includes(field)) return { text, value: text };
  const known = new Set(dictionaryValues(field).map(fold));
  // What a source calls the dictionary's counts where the dictionary has it.
  const stated = [standard, text, spelling].find((each) => each !== null && known.has(fold(each)));
  if (known.size === 0) return { text, value: standard ?? text };
  return { text, value: displayValue(field as Enumeration, stated ?? text) };
}

/** Whether a spelling means something that the mapping would not make of it by itself. */
function isNews(field: string, spelling: string, { text, value }: Meaning): boolean {
  const isFolded = FOLDED.has(field) || dictionaryValues(field).length > 0;
  const same = (a: string, b: string): boolean => (isFolded ? fold(a) === fold(b) : a === b);
  return !same(spelling, text) || !same(spelling, value);
}
