// Wire of the Stripe API: forms with nested keys, error objects, pages of lists and expanded references.

/** What a form or a query says: texts, lists and objects in each other. */
export type Params = { [name: string]: Param };
type Param = string | Params | Param[];

/** An answer that is no success. */
export class StripeFault extends Error {
  override readonly name = 'StripeFault';
  readonly status: number;
  readonly error: Readonly<Record<string, string>>;

  constructor(status: number, error: Readonly<Record<string, string>>) {
    super(error.message);
    this.status = status;
    this.error = { type: 'invalid_request_error', ...error };
  }
}

export function missing(what: string, id: string, param = 'id', status = 404): StripeFault {
  return new StripeFault(status, {
    code: 'resource_missing',
    param,
    message: `No such ${what}: '${id}'`,
    doc_url: 'https://stripe.com/docs/error-codes/resource-missing',
  });
}

export function invalid(param: string, message: string, code = 'parameter_invalid_empty'): StripeFault {
  return new StripeFault(400, { code, param, message });
}

/** `a[b][0]=x&expand[]=y` as objects and lists. */
export function parseForm(text: string): Params {
  const params: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.split(/\[|\]\[|\]$/).slice(0, name.endsWith(']') ? -1 : undefined);
    put(params, first, rest, value);
  }
  return toLists(params) as Params;
}

function put(target: Params, name: string, rest: readonly string[], value: string): void {
  const key = name === '' ? String(Object.keys(target).length) : name;
  const [next, ...others] = rest;
  if (next === undefined) {
    target[key] = value;
    return;
  }
  const inner = target[key] ?? {};
  target[key] = inner;
  if (typeof inner === 'string') throw invalid(key, `Invalid hash: ${key}`, 'parameter_invalid_hash');
  put(inner as Params, next, others, value);
}

/** Objects whose keys are numbers are lists. */
function toLists(param: Param): Param {
  if (typeof param === 'string') return param;
  const entries = Object.entries(param).map(([name, value]) => [name, toLists(value)] as const);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

export function textParam(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value !== undefined && typeof value !== 'string') throw invalid(name, `Invalid string: ${name}`);
  return value;
}

export function listParam(params: Params, name: string): readonly string[] {
  const value = params[name] ?? [];
  if (!Array.isArray(value)) throw invalid(name, `Invalid array`, 'parameter_invalid_array');
  return value.map(String);
}

/** Bounds of a list, as `created[gte]=…`. */
export function rangeParam(params: Params, name: string): { readonly gte?: number; readonly lte?: number } {
  const value = params[name] ?? {};
  if (typeof value === 'string' || Array.isArray(value)) throw invalid(name, 'Invalid hash');
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, Number(each)]));
}

export function metadataParam(params: Params): Record<string, string> {
  const value = params.metadata ?? {};
  if (typeof value === 'string' || Array.isArray(value)) throw invalid('metadata', 'Invalid hash');
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, String(each)]));
}

/** Refuses what the endpoint does not know, as Stripe does. */
export function requireKnown(params: Params, known: readonly string[]): void {
  const unknown = Object.keys(params).find((name) => ![...known, 'expand'].includes(name));
  if (unknown === undefined) return;
  throw invalid(unknown, `Received unknown parameter: ${unknown}`, 'parameter_unknown');
}

interface Identified {
  readonly id: string;
}

/** One page of objects, the newest first, of ten where nothing else is asked for. */
export function pageOf<Item extends Identified>(
  all: readonly Item[],
  params: Params,
  { url, what }: { readonly url: string; readonly what: string },
) {
  const limit = Number(textParam(params, 'limit') ?? '10');
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalid('limit', 'This value must be from 1 to 100.', 'parameter_invalid_integer');
  }
  const after = textParam(params, 'starting_after');
  const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== undefined && at < 0) throw missing(what, after, 'starting_after', 400);
  const rest = all.slice(at + 1);
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url };
}

const MAX_LEVELS = 4;

type Found = (id: string) => object | undefined;
type Members = Record<string, unknown>;

/** Replaces references by the objects that they name, in place. */
export function expandAll(answer: object, paths: readonly string[], find: Found): void {
  for (const path of paths) {
    const levels = path.split('.');
    if (levels.length > MAX_LEVELS) {
      const message = `You cannot expand more than ${MAX_LEVELS} levels of a property. Property: ${path}`;
      throw invalid('expand', message, 'property_expansion_max_depth');
    }
    expand(answer as Members, levels, path, find);
  }
}

function expand(node: Members, [level = '', ...deeper]: readonly string[], path: string, find: Found): void {
  if (!Object.hasOwn(node, level)) throw invalid('expand', `This property cannot be expanded (${path}).`);
  const value = node[level];
  if (typeof value === 'string') node[level] = structuredClone(find(value) ?? value);
  const next = node[level];
  if (deeper.length === 0 || next === null || typeof next !== 'object') return;
  for (const each of Array.isArray(next) ? next : [next]) expand(each as Members, deeper, path, find);
}
