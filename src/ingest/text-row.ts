// Full-text row of a listing: its words by field, and the most used filters. Pure.

import { maskAddress } from '../listings/presenter.ts';
import { activeWord, areaWord, FIELD_LETTERS } from '../text/index-terms.ts';
import { isName, tokenize } from '../text/tokenize.ts';
import { searchRow } from './search-row.ts';
import type { ListingWrite } from './write-plan.ts';

/** The row of listing_text, and its names, against which typos are matched. */
export interface TextRow {
  readonly row: Readonly<Record<string, unknown>>;
  readonly names: readonly string[];
}

export function textRow(write: ListingWrite, observedAt: number): TextRow {
  const { words, names } = listingWords(write);
  const search = searchRow(write, observedAt);
  const active = search.status === 'ACTIVE' && search.displayed === true;
  const marks = [...write.areaNos.map(areaWord), ...(active ? [activeWord(write.record.listingType)] : [])];
  const row = {
    ...{ listing_id: write.id, of_type: search.listing_type, active, listed: search.listed_at },
    ...{ asked: search.price, beds: search.bedrooms, baths: search.bathrooms, size: search.living_area },
    ...{ kind: search.property_type, town: search.city },
    words: [...words, ...marks].map((word) => `'${word}'`).join(' '),
  };
  return { row, names };
}

/** Further words are left out. */
const MAX_WORDS = 2_000;

/** Words of a listing by field. A withheld address is not searchable: its words are left out of every field. */
function listingWords({ id, draft, record }: ListingWrite): { words: string[]; names: string[] } {
  const { property: _, ...listing } = record;
  const visible = draft.display.address ? listing : maskAddress(listing);
  const { address, provider } = visible;
  const parts = [
    [FIELD_LETTERS.id, [id, visible.propertyId, provider.listingKey, provider.listingId]],
    [
      FIELD_LETTERS.address,
      [
        ...(draft.display.address ? [address.full] : []),
        ...[address.line1, address.unit, address.streetName, address.crossStreet, address.postalCode],
      ],
    ],
    [FIELD_LETTERS.area, [address.city, address.neighborhood, address.county, address.state]],
    [FIELD_LETTERS.description, [visible.description]],
  ] as const;
  const fields = new Map<string, Set<string>>();
  const names = new Set<string>();
  for (const [letter, texts] of parts) {
    const isPlace = letter === FIELD_LETTERS.address || letter === FIELD_LETTERS.area;
    for (const word of tokenize(texts.filter((text) => text !== null).join(' '))) {
      if (!fields.has(word) && fields.size >= MAX_WORDS) continue;
      fields.set(word, (fields.get(word) ?? new Set()).add(letter));
      if (isPlace && draft.display.listing && isName(word)) names.add(word);
    }
  }
  return { words: [...fields].flatMap(([word, letters]) => indexedForms(word, letters)), names: [...names] };
}

function indexedForms(word: string, letters: ReadonlySet<string>): string[] {
  const { id, address, area, description } = FIELD_LETTERS;
  const isNamed = letters.has(address) || letters.has(area);
  const prefixed = [...letters].filter((letter) => letter !== description || isNamed);
  const plain = [...letters].some((letter) => letter !== id) ? [word] : [];
  return [...plain, ...prefixed.map((letter) => `${letter}${word}`)];
}
