// Reader of profiles: a file of this folder with the operator's overrides, checked as a whole.

import { readdirSync, readFileSync } from 'node:fs';
import { nearest } from '../../../lib/nearest.ts';
import { schemaErrors } from '../../../lib/schema-errors.ts';
import type { MediaMode } from '../../../listings/pictures/own-pictures.ts';
import { overrideFaults } from '../mapping/overrides.ts';
import { type Profile, ProfileSchema } from './profile-schema.ts';

type Members = Readonly<Record<string, unknown>>;

/** Everything that is wrong with a profile, one sentence each, which begins with the path of the member. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('; '));
    this.faults = faults;
  }
}

/** The profile of servers that nothing particular is known of. */
export const STANDARD = 'standard';

/** The names of all profiles, which are those of their files. */
export const profileNames = (): readonly string[] =>
  readdirSync(new URL('.', import.meta.url))
    .flatMap((file) => /^([a-z][a-z0-9-]*)\.json$/.exec(file)?.[1] ?? [])
    .sort();

/**
 * A profile by its name. `overrides` has members of the same shape: what is in it counts in place of the file's, member by
 * member; lists are replaced whole. Throws ProfileError.
 */
export function readProfile(name: string, overrides: object = {}): Profile {
  const names = profileNames();
  if (!names.includes(name)) {
    const meant = nearest(name, names);
    const hint = meant ? `; did you mean ${meant}?` : `: there are ${names.join(', ')}`;
    throw new ProfileError([`profile ${name} is not known${hint}`]);
  }
  const profile = merge(readMembers(name), overrides as Members);
  const shape = shapeFaults(profile);
  if (shape.length > 0) throw new ProfileError(shape);
  const read = { ...(profile as Omit<Profile, 'name'>), name } as Profile;
  const faults = meaningFaults(read);
  if (faults.length > 0) throw new ProfileError(faults);
  return read;
}

/** The flag of listings that may no longer be shown which the file of a profile names; null: none. */
export const usualFlag = (name: string): unknown => memberOf(readMembers(name).deletes, 'flag');

const readMembers = (name: string): Members =>
  JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8')) as Members;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merge(base: Members, overrides: Members): Members {
  const changed = Object.entries(overrides).map(([name, value]) => {
    const known = base[name];
    return [name, isMembers(known) && isMembers(value) ? merge(known, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(changed) };
}

/** Faults that a union reports besides those of its parts. */
const OF_UNIONS: readonly string[] = ['anyOf', 'const', 'boolean'];

function shapeFaults(profile: Members): string[] {
  const errors = schemaErrors(ProfileSchema, profile);
  const own = errors.filter(({ keyword }) => !OF_UNIONS.includes(keyword));
  const faults = (own.length > 0 ? own : errors).flatMap(({ keyword, instancePath, params, message }) => {
    const at = instancePath.slice(1).replaceAll('/', '.');
    if (keyword === 'additionalProperties') {
      const { additionalProperties } = params as { additionalProperties: readonly string[] };
      return additionalProperties.map((name) => unknownMember(profile, at, name));
    }
    if (keyword === 'enum') {
      const { allowedValues = [] } = params as { allowedValues?: readonly unknown[] };
      return [`${at}: must be ${allowedValues.join(', ').replace(/, ([^,]*)$/, ' or $1')}`];
    }
    return [`${at === '' ? 'the profile' : at}: ${message}`];
  });
  return [...new Set(faults)];
}

function unknownMember(profile: Members, at: string, name: string): string {
  const parent =
    at === '' ? profile : at.split('.').reduce<unknown>((value, key) => memberOf(value, key), profile);
  const others = isMembers(parent) ? Object.keys(parent).filter((other) => other !== name) : [];
  const meant = nearest(name, others);
  return `${at === '' ? name : `${at}.${name}`} is not known${meant ? `; did you mean ${meant}?` : ''}`;
}

const memberOf = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[Number(key)] : isMembers(value) ? value[key] : undefined;

/** Why photos may not be shown in this way, as a sentence; null: they may. */
function mediaFault(
  { media, title }: Pick<Profile, 'media' | 'title'>,
  mode: MediaMode | null,
): string | null {
  if (media.singleUse && (mode === 'link' || mode === 'proxy'))
    return `media: ${mode} is not possible: each URL of a photo of ${title} can be fetched once only; use copy, or leave it out to show none`;
  if (!media.hotlink && mode === 'link')
    return `media: link is not permitted by ${title}: use proxy or copy, or leave it out`;
  return null;
}

/** How photos of a source are shown; null: not at all. `general`: where nothing is said of it. */
export function mediaModeOf(profile: Pick<Profile, 'media' | 'title'>, general: MediaMode): MediaMode | null {
  const mode = profile.media.mode ?? general;
  return mediaFault(profile, mode) === null ? mode : null;
}

/** Whether records can be requested by several keys at once. */
export const canJoinKeys = ({ query }: Pick<Profile, 'query'>): boolean => query.in || query.or > 1;

/** Members that contradict each other. */
function meaningFaults(profile: Profile): string[] {
  const { query, load, changes, media, openHouses, contacts, limits, originatingSystem, deletes } = profile;
  const faults: string[] = [];
  if (query.originatingSystem === 'required' && originatingSystem === null)
    faults.push('originatingSystem: this vendor wants the OriginatingSystemName of the data; set it');
  for (const [name, { order }] of Object.entries({ load, changes }))
    if (order === 'requested' && !query.orderBy)
      faults.push(`${name}.order: requested needs query.orderBy to be true`);
  if (media.from === 'expand' && !query.expand)
    faults.push('media.from: expand needs query.expand to be true');
  const children = { media: media.from, openHouses: openHouses.from, contacts: contacts.from };
  for (const [name, from] of Object.entries(children))
    if (from === 'resource' && !canJoinKeys(profile))
      faults.push(`${name}.from: resource needs query.in to be true, or query.or above 1`);
  if (load.mode === 'keys' && (!query.in || deletes.sweep === null))
    faults.push('load.mode: keys needs query.in to be true, and deletes.sweep, which says how keys are read');
  const windows = [...limits.windows, ...(limits.media === 'shared' ? [] : limits.media)];
  if (windows.some(({ requests, bytes }) => requests === undefined && bytes === undefined))
    faults.push('limits: each window needs requests, bytes, or both');
  const shown = mediaFault(profile, media.mode);
  if (shown !== null) faults.push(shown);
  return [...faults, ...overrideFaults(profile.fields, profile.enumerations)];
}
