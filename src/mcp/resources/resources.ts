// Resources of the MCP endpoint: listings, properties, areas, watchers, and what the service says of itself, read by URI.

import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { Principal, Tiers } from '../../access/tiers/tiers.ts';
import type { Access, Route } from '../../http/frame/route.ts';
import { Problem } from '../../lib/problem.ts';
import { APP_TYPE, APP_URI } from '../tools/app-resource.ts';
import { project } from '../tools/projection.ts';
import { isPlausible } from '../tools/source-text.ts';
import { LIMITS_URI, PLAIN_RESOURCES, TEMPLATES, VOCABULARY, VOCABULARY_URI } from './resource-table.ts';
import { parseResourceUri, RESOURCE_KINDS } from './resource-uri.ts';
import {
  createRouteReader,
  type ReadContext,
  type ReadParameters,
  type RouteReader,
} from './route-reader.ts';

export interface ResourceOptions {
  readonly routes: readonly Route<Principal>[];
  readonly tiers: Tiers;
  /** The page of the MCP App. */
  readonly appPage: () => Promise<string>;
}

export interface McpResources {
  list(): readonly Resource[];
  templates(): readonly ResourceTemplateType[];
  /** Access of the route that reads a URI; null: there is no such kind of URI. */
  access(uri: string): Access | null;
  /** Throws a Problem: NOT_FOUND for no kind of URI, else what the route says. Foreign and unknown watchers are alike. */
  read(
    uri: string,
    context: ReadContext & { readonly refusal?: Problem | null },
  ): Promise<ReadResourceResult>;
  /** Reads a resource that can be followed, to see whether it is there for the caller; throws as `read` does. */
  requireFollowed(uri: string, context: ReadContext): Promise<void>;
}

/** How a URI is read. */
interface ResourceReader {
  readonly reader: RouteReader;
  readonly parameters: ReadParameters;
  readonly hasUpdates: boolean;
}

const JSON_TYPE = 'application/json';

export function createResources({ routes, tiers, appPage }: ResourceOptions): McpResources {
  const templates = new Map(
    RESOURCE_KINDS.map((kind) => [kind, createRouteReader(routes, TEMPLATES[kind].operation)]),
  );
  const plain = new Map(
    PLAIN_RESOURCES.map(({ uri, operation }) => [uri, createRouteReader(routes, operation)]),
  );

  const rentals = createRouteReader(routes, VOCABULARY.operations.rental);

  function find(uri: string): ResourceReader | null {
    const reader = plain.get(uri);
    if (reader !== undefined) {
      const parameters = uri === VOCABULARY_URI ? { query: VOCABULARY.query } : {};
      return { reader, parameters, hasUpdates: false };
    }
    const named = parseResourceUri(uri);
    const route = named === null ? undefined : templates.get(named.kind);
    if (named === null || route === undefined) return null;
    const { query = {}, hasUpdates } = TEMPLATES[named.kind];
    return { reader: route, parameters: { params: { id: named.id }, query }, hasUpdates };
  }

  function require(uri: string): ResourceReader {
    const found = find(uri);
    if (found === null) throw unknownUri();
    return found;
  }

  async function contentOf(uri: string, record: object, context: ReadContext): Promise<object> {
    if (uri === LIMITS_URI) return { usage: record, tiers };
    if (uri !== VOCABULARY_URI) return record;
    const ofRentals = await rentals.read({ query: VOCABULARY.query }, context);
    return { sale: facetsOf(record), rental: facetsOf(ofRentals), unknown: VOCABULARY.unknown };
  }

  return {
    list: () =>
      PLAIN_RESOURCES.map(({ uri, name, title, description }) => ({
        uri,
        name,
        title,
        description,
        mimeType: JSON_TYPE,
      })),
    templates: () =>
      RESOURCE_KINDS.map((kind) => {
        const { name, title, description } = TEMPLATES[kind];
        return { uriTemplate: `${kind}://{id}`, name, title, description, mimeType: JSON_TYPE };
      }),
    access: (uri) => find(uri)?.reader.access ?? null,
    async read(uri, context) {
      if (context.refusal) throw context.refusal;
      if (uri === APP_URI) return appResult(await appPage());
      const { reader, parameters } = require(uri);
      const record = await reader.read(parameters, context);
      const json = present(await contentOf(uri, record, context));
      return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(json) }] };
    },
    async requireFollowed(uri, context) {
      const { reader, parameters, hasUpdates } = require(uri);
      if (!hasUpdates) throw unknownUri();
      const { usage: _, ...unrecorded } = context;
      await reader.read(parameters, unrecorded);
    },
  };
}

/** `{features: {pool: 12}, …}`: how many homes have each value. */
function facetsOf(search: object): object {
  const { facets = {} } = search as { facets?: Record<string, readonly { value: unknown; count: number }[]> };
  return Object.fromEntries(
    Object.entries(facets).map(([name, values]) => [
      name,
      Object.fromEntries(
        values
          .filter(({ value }) => isPlausible(`${name}/*`, String(value)))
          .map(({ value, count }) => [String(value), count]),
      ),
    ]),
  );
}

/** The whole record as agents get it: what others wrote set apart, and what was cut named. */
function present(record: object): object {
  const { value, untrusted, isCut } = project(record, null);
  return { ...value, untrusted, ...(isCut && { omitted: [CUT] }) };
}

/** The page needs nothing of anybody else: hosts may forbid it all. */
const appResult = (text: string): ReadResourceResult => ({
  contents: [{ uri: APP_URI, mimeType: APP_TYPE, text, _meta: { ui: { prefersBorder: true } } }],
});

const CUT = 'Long texts are cut; they end with "…".';

function unknownUri(): Problem {
  const forms = [...PLAIN_RESOURCES.map(({ uri }) => uri), ...RESOURCE_KINDS.map((kind) => `${kind}://{id}`)];
  return new Problem('NOT_FOUND', `There is no resource with this URI. The URIs are ${forms.join(', ')}.`);
}
