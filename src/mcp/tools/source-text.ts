// Short texts of sources, such as a street or a city: what such a text can be. Anything else is set apart as text of others.

/** What a text of a source can look like. */
type Form = 'name' | 'address' | 'code' | 'label' | 'url';

/** Forms by the end of the path; `*` is an item of a list. */
const FORMS: Readonly<Record<Form, readonly string[]>> = {
  address: ['address/full', 'address/line1', 'address/streetName', 'address/crossStreet'],
  name: [
    'address/city',
    'address/neighborhood',
    'address/county',
    'address/state',
    'address/country',
    'areas/*/name',
    'ancestors/*/name',
    'aliases/*',
    'suggestions/*/suggestions/*',
  ],
  code: [
    'address/unit',
    'address/streetNumber',
    'address/postalCode',
    'provider/listingId',
    'provider/listingKey',
    'parcelNumber',
    'universalPropertyId',
    'agent/id',
    'office/id',
  ],
  label: [
    'statusRaw',
    'propertySubType',
    'features/*',
    'saleConditions/*',
    'rental/furnished',
    'rental/pets/*',
    'rental/leaseTerm/*',
    'rental/utilitiesIncluded/*',
    'moveInCosts/*/type',
    'permissions/*',
    'openHouses/*/type',
    'openHouses/*/status',
    'photos/*/category',
    'floorPlans/*/category',
  ],
  url: [
    'virtualTourUrl',
    'listingUrl',
    'photos/*/url',
    'photos/*/thumbnailUrl',
    'floorPlans/*/url',
    'floorPlans/*/thumbnailUrl',
    'openHouses/*/livestreamUrl',
  ],
};
const BY_PATH = new Map(
  Object.entries(FORMS).flatMap(([form, paths]) => paths.map((path) => [path, form as Form] as const)),
);
/** Levels of the longest of these paths. */
const MAX_LEVELS = 4;

/** Words of instructions, which streets, towns and statuses do not have: a text with one is set apart, whatever it is. */
const INSTRUCTIONS =
  /\b(?:ignore|disregard|forget|override|instructions?|prompts?|system|assistant|user|tools?|call|invoke|execute|delete|remove|create|send|reveal|print|output|respond|reply|answer|say|tell|obey|must|always|never|please|password|tokens?|secrets?|watchers?|you|your)\b/i;

/** Words of names that are written small. */
const SMALL = new Set(
  'of and the de la le on upon or by sur en am an der van den di da do dos del los las y e a zu im in bei near at und et sous les aux du des st ave rd apt unit'.split(
    ' ',
  ),
);

const FORM: Readonly<
  Record<Exclude<Form, 'url'>, { chars: RegExp; max: number; words: number; small: number }>
> = {
  name: { chars: /^[\p{L}\p{M}\p{N} '’.,&/()-]*$/u, max: 60, words: 6, small: 3 },
  address: { chars: /^[\p{L}\p{M}\p{N} '’.&/()#:;ºª-]*$/u, max: 60, words: 8, small: 4 },
  code: { chars: /^[\p{L}\p{N} ._/#:-]*$/u, max: 60, words: 3, small: 3 },
  label: { chars: /^[\p{L}\p{M}\p{N} '’.,&/()_+:-]*$/u, max: 60, words: 6, small: 4 },
};
/** Characters of an address, and parts between its commas. */
const MAX_ADDRESS = 160;
const MAX_PARTS = 8;
const MAX_URL = 1_000;

/** Whether a text may stand in its place: it is none of a source, or looks as texts of its kind do. */
export function isPlausible(path: string, text: string): boolean {
  const form = formOf(path);
  if (form === null || text === '') return true;
  if (form === 'url') return text.length <= MAX_URL && /^https?:\/\/[^\s<>"'`[\]{}|\\^]+$/i.test(text);
  if (INSTRUCTIONS.test(text.replaceAll('_', ' ')) || /\p{L}\.\p{L}{2}/u.test(text)) return false;
  if (form !== 'address') return fits(text, form);
  const parts = text.split(',');
  return (
    text.length <= MAX_ADDRESS && parts.length <= MAX_PARTS && parts.every((part) => fits(part, 'address'))
  );
}

function fits(text: string, form: Exclude<Form, 'url'>): boolean {
  const { chars, max, words, small } = FORM[form];
  if (text.length > max || !chars.test(text)) return false;
  const parts = text.split(/[ _]+/).filter((part) => part !== '');
  const written = parts.filter((part) => /^\p{Ll}/u.test(part) && !SMALL.has(part.replace(/\.$/, '')));
  return parts.length <= words && written.length <= small;
}

function formOf(path: string): Form | null {
  const names = path.split('/');
  for (let levels = 1; levels <= MAX_LEVELS; levels += 1) {
    const form = BY_PATH.get(names.slice(-levels).join('/'));
    if (form !== undefined) return form;
  }
  return null;
}
