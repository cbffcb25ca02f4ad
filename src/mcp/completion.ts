// Completion of arguments of prompts and resource templates: areas by name, the caller's watchers, and values of a few.

import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import type { Principal } from '../access/tiers/tiers.ts';
import type { Route } from '../http/frame/route.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { type ArgumentKind, LISTING_TYPES, type McpPrompts } from './prompts.ts';
import { createRouteReader, type ReadContext } from './resources/route-reader.ts';
import { cutText, visibleText } from './tools/untrusted.ts';

type Completion = CompleteResult['completion'];

export type Complete = (
  ref: CompleteRequestParams['ref'],
  argument: CompleteRequestParams['argument'],
  context: ReadContext,
) => Promise<Completion>;

export interface CompletionOptions {
  readonly routes: readonly Route<Principal>[];
  readonly prompts: Pick<McpPrompts, 'kindOf'>;
}

/** Values of one answer. */
const MAX_VALUES = 20;
const MAX_WATCHERS = 100;
/** Characters of what is completed. */
const MAX_LENGTH = 120;

const NOTHING: Completion = { values: [], hasMore: false };

/** A page of a list, as far as completion reads it. */
interface Page {
  readonly data: readonly { readonly id: string; readonly name: string | null }[];
  readonly page: { readonly hasMore: boolean };
}

type Completer = (text: string, context: ReadContext) => Promise<Completion>;

/** Completion of what can be completed. It throws INVALID_PARAMETER for a reference or an argument that is not known. */
export function createCompletion({ routes, prompts }: CompletionOptions): Complete {
  const areas = createRouteReader(routes, 'listAreas');
  const watchers = createRouteReader(routes, 'listWatchers');

  async function findAreas(text: string, context: ReadContext): Promise<Page> {
    const query = text === '' ? { sort: '-listingCount' } : { q: text, suggest: true };
    return (await areas.read(
      { query: { ...query, include: ['counts'], limit: MAX_VALUES } },
      context,
    )) as Page;
  }

  const areaIds: Completer = async (text, context) => {
    const { data, page } = await findAreas(text, context);
    return { values: data.map(({ id }) => id), hasMore: page.hasMore };
  };
  const areaNames: Completer = async (text, context) => {
    const { data, page } = await findAreas(text, context);
    const names = data.map(({ name }) => cutText(visibleText(name ?? ''), MAX_LENGTH));
    return { values: [...new Set(names)], hasMore: page.hasMore };
  };
  const watcherIds: Completer = async (text, context) => {
    const { data, page } = (await watchers.read({ query: { limit: MAX_WATCHERS } }, context)) as Page;
    const matching = data.filter(
      ({ id, name }) => id.startsWith(text) || name?.toLowerCase().includes(text.toLowerCase()) === true,
    );
    const values = matching.slice(0, MAX_VALUES).map(({ id }) => id);
    return { values, hasMore: page.hasMore || matching.length > values.length };
  };
  const listingTypes: Completer = async (text) => ({
    values: LISTING_TYPES.filter((type) => type.startsWith(text.toLowerCase())),
    hasMore: false,
  });
  const nothing: Completer = async () => NOTHING;

  const ofTemplates: Readonly<Record<string, Completer>> = {
    'area://{id}': areaIds,
    'watcher://{id}': watcherIds,
    'listing://{id}': nothing,
    'property://{id}': nothing,
  };
  const ofArguments: Readonly<Record<ArgumentKind, Completer>> = {
    area: areaNames,
    listingType: listingTypes,
    count: nothing,
    price: nothing,
    text: nothing,
  };

  function completerOf(ref: CompleteRequestParams['ref'], argument: string): Completer {
    if (ref.type === 'ref/prompt') {
      const kind = prompts.kindOf(ref.name, argument);
      if (kind === null) throw invalidParameter('ref', 'names no argument of a prompt');
      return ofArguments[kind];
    }
    const completer = Object.hasOwn(ofTemplates, ref.uri) ? ofTemplates[ref.uri] : undefined;
    if (completer === undefined || argument !== 'id')
      throw invalidParameter('ref', 'names no argument of a resource template');
    return completer;
  }

  return async (ref, { name, value }, context) => {
    const complete = completerOf(ref, name);
    if (value.length > MAX_LENGTH) return NOTHING;
    try {
      return await complete(value.trim(), context);
    } catch (error) {
      // Half a word may be no valid search, and a caller may have no right to what would complete it.
      if (error instanceof Problem && error.status < 500) return NOTHING;
      throw error;
    }
  };
}
