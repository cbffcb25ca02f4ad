// Forms of a searched word: the lexemes of listing_text.words by which a listing has it.

import { FIELD_LETTERS } from '../../text/tokenize.ts';
import { TEXT_FIELDS, type TextField } from './filter-parameters.ts';
import type { WordMeaning } from './plan.ts';

/** A lexeme that a listing has, while it has none of some others. */
export interface WordForm {
  readonly lexeme: string;
  readonly without: readonly string[];
}

const present = (lexeme: string): WordForm => ({ lexeme, without: [] });

/** The forms of a word in any of the fields. A listing in one of the areas of its meaning has it too, if `area` is searched. */
export function wordForms({ spellings }: WordMeaning, fields: readonly TextField[]): WordForm[] {
  if (TEXT_FIELDS.every((field) => fields.includes(field)))
    return spellings.flatMap((form) => [present(form), ...formsIn(form, 'id')]);
  return fields.flatMap((field) => spellings.flatMap((form) => formsIn(form, field)));
}

/** A word that stands neither in the address nor in names of places stands in the description, if it is no number. */
function formsIn(form: string, field: TextField): WordForm[] {
  const lettered = (each: TextField): string => `${FIELD_LETTERS[each]}${form}`;
  const own = present(lettered(field));
  if (field !== 'description') return [own];
  return [own, { lexeme: form, without: [lettered('address'), lettered('area')] }];
}
