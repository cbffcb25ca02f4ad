// Names of settings: those that there are, and what is wrong with others that look like one.

import { isOneEdit, nearest } from '../lib/nearest.ts';
import type { Environment } from '../lib/settings.ts';
import NAMES from './setting-names.json' with { type: 'json' };

/** Every setting there is. */
export const SETTING_NAMES: readonly string[] = NAMES;
/** Settings of former releases, and what to do. */
const REMOVED: Readonly<Record<string, string>> = {
  SEARCH_SHADOW_RATE: 'remove it; answers are compared on demand, by `freehold doctor --compare`',
};
/** Prefixes of our settings: an unknown name with one is a mistake. */
const PREFIXES = ['RESO_', 'SAMPLE_', 'FREEHOLD_'];
/** Names with our prefix for other programs: address and keys of clients, and the folder of test data. */
const FOREIGN = /^FREEHOLD_(?:(?:FREE|PRO|BUSINESS|INTERNAL)_KEY|KEY|URL|TEST_DATA)$/;
/** Names that other programs and Kubernetes (for a service called freehold, or freehold-db) set. */
const INJECTED =
  /^(?:PG|XDG_|FREEHOLD_SERVICE_|FREEHOLD_PORT)|_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;
/** Names that operators give the secrets of their sources, which a running service reads from `.env`: only the database has them. */
const OF_SOURCES = /_(?:TOKEN|TOKEN_URL|ID|SECRET)$/;
/** Shorter names are one edit away from too many others. */
const MIN_LETTERS = 6;

/** What is wrong with names of settings that this service does not know, one sentence each. `fromFile`: those of `.env`. */
export function unknownNames(environment: Environment, fromFile: Environment): string[] {
  const unknown = (name: string) =>
    !SETTING_NAMES.includes(name) && !FOREIGN.test(name) && !Object.hasOwn(REMOVED, name);
  const hasPrefix = (name: string) => PREFIXES.some((prefix) => name.startsWith(prefix));
  const unknownInFile = Object.keys(fromFile).filter(unknown);
  const ofSources = unknownInFile.filter((name) => OF_SOURCES.test(name) && !hasPrefix(name));
  const inFile = unknownInFile.filter((name) => !ofSources.includes(name));
  const outside = Object.keys(environment).filter((name) => unknown(name) && !isInjected(name, environment));
  const prefixed = outside.filter(hasPrefix);
  const removed = Object.keys({ ...fromFile, ...environment }).filter((name) => Object.hasOwn(REMOVED, name));
  const faults = [...new Set([...inFile, ...prefixed])].map((name) => {
    const meant = nearest(name, SETTING_NAMES);
    return `${name} is not a setting; ${meant ? `did you mean ${meant}?` : 'remove it (docs/configuration.md lists all settings)'}`;
  });
  const misspelt = [...new Set([...ofSources, ...outside])]
    .filter((name) => !inFile.includes(name) && !prefixed.includes(name))
    .flatMap(misspellingFault);
  const former = removed.map((name) => `${name} is not a setting any more: ${REMOVED[name]}`);
  return [...former, ...faults, ...misspelt];
}

function isInjected(name: string, environment: Environment): boolean {
  const isLink = name.endsWith('_PORT') && SERVICE_LINK.test(environment[name] ?? '');
  return isLink || INJECTED.test(name);
}

/** A fault if the name is one typing error away from a setting, ignoring underscores. */
function misspellingFault(name: string): string[] {
  const bare = (text: string): string => text.replaceAll('_', '');
  const given = bare(name);
  const meant = SETTING_NAMES.find((known) => {
    const wanted = bare(known);
    return wanted.length >= MIN_LETTERS && (wanted === given || isOneEdit(wanted, given));
  });
  if (meant === undefined) return [];
  const remedy = 'If another program needs it, start Freehold without it.';
  return [`${name} is not a setting; did you mean ${meant}? ${remedy}`];
}
