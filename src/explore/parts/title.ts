// Title of a view in words, such as `3+ bed homes for sale in Port Calder, $400k – $900k`.

import type { Parameters } from '../view/parameters.ts';
import type { HomeKind } from '../view/state.ts';
import { type ActiveFilter, isOfSold } from './filters.ts';

export interface TitledView {
  readonly parameters: Parameters;
  readonly kind: HomeKind;
  /** Names of its areas. */
  readonly places: readonly string[];
  readonly filters: readonly ActiveFilter[];
}

export function viewTitle({ parameters, kind, places, filters }: TitledView): string {
  const beds = filters.find(({ id }) => id === 'beds')?.words.replace(/ beds?$/, ' bed');
  const others = filters.filter(({ id }) => id !== 'beds' && id !== 'closed').map(({ words }) => words);
  const what = isOfSold(parameters)
    ? kind === 'sale'
      ? 'sold homes'
      : 'let homes'
    : kind === 'sale'
      ? 'homes for sale'
      : 'homes to rent';
  const subject = [beds, what].filter((part) => part !== undefined).join(' ');
  const where = places.length > 0 ? ` in ${listed(places)}` : parameters.has('bbox') ? ' on this map' : '';
  const [head, ...rest] = [`${subject.charAt(0).toUpperCase()}${subject.slice(1)}${where}`, ...others];
  return [head, ...rest].join(', ');
}

function listed(names: readonly string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more places`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
