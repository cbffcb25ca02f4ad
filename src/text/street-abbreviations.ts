// Words of addresses that are written out or short: which spellings of a street are one.

import { ORDINALS } from './number-words.ts';

/** Kinds of streets, and the short form that stands for each spelling. */
export const STREET_TYPES: Readonly<Record<string, string>> = {
  ...{ street: 'st', str: 'st', avenue: 'ave', av: 'ave', aven: 'ave', boulevard: 'blvd', boul: 'blvd' },
  ...{ drive: 'dr', drv: 'dr', road: 'rd', lane: 'ln', court: 'ct', crt: 'ct', place: 'pl' },
  ...{ terrace: 'ter', terr: 'ter', highway: 'hwy', parkway: 'pkwy', pky: 'pkwy', square: 'sq' },
  ...{ circle: 'cir', trail: 'trl', crossing: 'xing', alley: 'aly', plaza: 'plz', crescent: 'cres' },
  ...{ expressway: 'expy', freeway: 'fwy', turnpike: 'tpke', route: 'rte', cove: 'cv', heights: 'hts' },
};

/** Kinds of streets that are always written out. */
export const LONG_STREET_TYPES = ['way', 'loop', 'row', 'run', 'walk', 'path', 'mews', 'close', 'pike'];

export const DIRECTIONS: Readonly<Record<string, string>> = {
  ...{ north: 'n', south: 's', east: 'e', west: 'w' },
  ...{ northeast: 'ne', northwest: 'nw', southeast: 'se', southwest: 'sw' },
};

export const SHORT_FORMS: Readonly<Record<string, string>> = {
  ...STREET_TYPES,
  ...DIRECTIONS,
  ...ORDINALS,
};
