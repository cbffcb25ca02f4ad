// Owns the short forms of words in addresses: which spellings of a street are one.

export const SHORT_FORMS: Readonly<Record<string, string>> = {
  street: 'st',
  avenue: 'ave',
  av: 'ave',
  boulevard: 'blvd',
  drive: 'dr',
  road: 'rd',
  lane: 'ln',
  court: 'ct',
  place: 'pl',
  terrace: 'ter',
  highway: 'hwy',
  parkway: 'pkwy',
  square: 'sq',
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
};
