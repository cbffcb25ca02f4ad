// RESO enumerations in both spellings, "Active Under Contract" and "ActiveUnderContract".

import ENUMERATIONS from './enumerations.json' with { type: 'json' };

export type Enumeration = keyof typeof ENUMERATIONS;

/** Where the two spellings differ by more than case and punctuation. */
const OLD_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['threemonths', '3 Months'],
  ['sixmonths', '6 Months'],
  ['ninemonths', '9 Months'],
  ['twelvemonths', '12 Months'],
  ['twentyfourmonths', '24 Months'],
  ['twentyfourhoursecurity', '24 Hour Security'],
]);

/** What two spellings of one value have in common: letters and digits, in lower case. */
export function fold(value: string): string {
  const folded = value.toLowerCase().replace(/[^a-z0-9]/g, '');
  const today = OLD_SPELLINGS.get(folded);
  return today === undefined ? folded : fold(today);
}

const DISPLAY = new Map<Enumeration, ReadonlyMap<string, string>>(
  Object.entries(ENUMERATIONS).map(([name, values]) => [
    name as Enumeration,
    new Map(values.map((value) => [fold(value), value])),
  ]),
);

/** The values of an enumerated field; empty: any value is good. */
export const dictionaryValues = (field: string): readonly string[] =>
  Object.hasOwn(ENUMERATIONS, field) ? ENUMERATIONS[field as Enumeration] : [];

/** The display value, or the value as the source wrote it where it is the source's own. */
export function displayValue(enumeration: Enumeration, value: string): string {
  return DISPLAY.get(enumeration)?.get(fold(value)) ?? value;
}

/** A lookup in a table keyed by display values, in either spelling. */
export function spelled<T>(table: Readonly<Record<string, T>>): (value: string | null) => T | undefined {
  const folded = new Map(Object.entries(table).map(([value, meaning]) => [fold(value), meaning]));
  return (value) => (value === null ? undefined : folded.get(fold(value)));
}

/** A lower-case slug, the same for both spellings: "Ceiling Fan(s)" and "CeilingFans" are ceiling_fans. */
export function slug(value: string): string {
  const today = OLD_SPELLINGS.get(value.toLowerCase()) ?? value;
  return today
    .replace(/\(s\)/gi, 's')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}
