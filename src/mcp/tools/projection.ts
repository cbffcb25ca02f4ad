// Projection of a route's answer for agents: short records, clean and bounded text, and what strangers wrote set apart.

import { isPlausible } from './source-text.ts';
import { cutText, isUntrusted, type UntrustedText, visibleText } from './untrusted.ts';

/** What short records leave out. Paths go from the root of the answer; `*` is any item or any name. */
export interface ShortForm {
  /** The members that stay, of the objects at a path. */
  readonly keep?: Readonly<Record<string, readonly string[]>>;
  /** Paths of members that go. */
  readonly drop?: readonly string[];
}

export interface Projection {
  readonly value: Readonly<Record<string, unknown>>;
  readonly untrusted: readonly UntrustedText[];
  /** Whether a text was longer than shown. */
  readonly isCut: boolean;
}

/** Characters of any text: cursors are shorter. */
const MAX_TEXT = 4_096;
/** Characters of a member's name. */
const MAX_NAME = 200;
/** Characters of a text of others. */
const MAX_UNTRUSTED = { short: 1_500, full: 10_000 } as const;

interface Walk {
  readonly short: ShortForm | null;
  readonly untrusted: UntrustedText[];
  isCut: boolean;
}

/** The answer as agents get it; `short` null leaves every member. */
export function project(json: object, short: ShortForm | null): Projection {
  const walk: Walk = { short, untrusted: [], isCut: false };
  const value = projectObject(json, { path: '', pointer: '' }, walk);
  return { value, untrusted: walk.untrusted, isCut: walk.isCut };
}

interface Place {
  /** Names from the root, `*` for items of a list. */
  readonly path: string;
  /** JSON pointer. */
  readonly pointer: string;
}

function projectValue(value: unknown, place: Place, walk: Walk): unknown {
  if (typeof value === 'string') return bounded(value, MAX_TEXT, walk);
  if (Array.isArray(value)) return projectList(value, place, walk);
  return typeof value === 'object' && value !== null ? projectObject(value, place, walk) : value;
}

/** Items that cannot be what such a list has leave it. */
function projectList(list: readonly unknown[], { path, pointer }: Place, walk: Walk): unknown[] {
  return list.flatMap((item, index) => {
    const place = { path: join(path, '*'), pointer: `${pointer}/${index}` };
    if (typeof item !== 'string' || isPlausible(place.path, item)) return [projectValue(item, place, walk)];
    setApart(item, place, walk);
    return [];
  });
}

function projectObject(record: object, { path, pointer }: Place, walk: Walk): Record<string, unknown> {
  const members = new Map<string, unknown>(Object.entries(record));
  const kept = membersKept(path, walk.short);
  const result: Record<string, unknown> = {};
  for (const [name, value] of members) {
    const place = { path: join(path, name), pointer: `${pointer}/${escapePointer(name)}` };
    if (kept?.includes(name) === false || isDropped(place.path, walk.short)) continue;
    const isApart =
      isUntrusted(place.path, members.get('object')) ||
      (typeof value === 'string' && !isPlausible(namePath(place.path, members.get('object')), value));
    if (isApart && !isEmpty(value)) setApart(value, place, walk);
    else if (name === 'url' && members.get('type') === 'webhook') result.host = hostOf(value);
    else if (value !== undefined) result[nameOf(name)] = projectValue(value, place, walk);
  }
  return result;
}

/** The name of an area is one wherever the area appears. */
const namePath = (path: string, object: unknown): string =>
  object === 'area' && path.endsWith('name') ? 'areas/*/name' : path;

/** An empty list or object has nothing of others in it, and is shown as it is. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

const membersKept = (path: string, short: ShortForm | null): readonly string[] | undefined =>
  Object.entries(short?.keep ?? {}).find(([pattern]) => matches(path, pattern))?.[1];

const isDropped = (path: string, short: ShortForm | null): boolean =>
  short?.drop?.some((pattern) => matches(path, pattern)) === true;

function matches(path: string, pattern: string): boolean {
  if (!pattern.includes('*')) return path === pattern;
  const [names, wanted] = [path.split('/'), pattern.split('/')];
  return names.length === wanted.length && wanted.every((name, at) => name === '*' || name === names[at]);
}

/** Text leaves its member; anything else that others wrote becomes text, names of its members included. */
function setApart(value: unknown, { pointer }: Place, walk: Walk): void {
  const isText = typeof value === 'string';
  const text = isText ? value : JSON.stringify(cleaned(value));
  const max = isText && walk.short !== null ? MAX_UNTRUSTED.short : MAX_UNTRUSTED.full;
  walk.untrusted.push({ at: pointer, text: bounded(text, max, walk) });
}

/** Cleaned before it becomes JSON, which would write what people cannot see as escapes. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [visibleText(name), cleaned(member)]),
  );
}

function bounded(text: string, max: number, walk: Walk): string {
  const visible = visibleText(text);
  if (visible.length > max) walk.isCut = true;
  return cutText(visible, max);
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);

/** Nearly all names are: nothing in them needs cleaning. */
const IDENTIFIER = /^\w{1,100}$/;

const nameOf = (name: string): string =>
  IDENTIFIER.test(name) ? name : cutText(visibleText(name), MAX_NAME);

const escapePointer = (name: string): string =>
  IDENTIFIER.test(name) ? name : nameOf(name).replaceAll('~', '~0').replaceAll('/', '~1');

/** A webhook's URL may be a secret: only its host is shown. */
function hostOf(url: unknown): string | null {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null;
}
