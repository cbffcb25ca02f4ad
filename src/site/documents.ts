// Documents of docs/ that are served: which ones, and their text with the values of this service.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../docs');

/** Served documents: name of the file -> title in the navigation, and its description in llms.txt. */
export const DOCUMENTS = {
  start: ['Quickstart', 'from a key to the first stream'],
  client: ['Client', 'TypeScript: ten recipes, from a first search to verified webhooks and a sign-in'],
  search: ['Search', 'how searches are answered: names, currencies, pages, freshness'],
  watchers: [
    'Watchers',
    'events about listings, properties, searches and market figures: pages, feeds, digests, webhooks',
  ],
  'command-line': [
    'Command line',
    'every operation of the API from a shell, with tables, CSV, streams and events',
  ],
  changes: ['Changes', 'a copy of all listings, kept up to date from the log of changes'],
  estimate: ['Estimates', 'comparables, and how sale prices and rents are estimated'],
  oauth: ['OAuth', 'access for apps and MCP clients: discovery, PKCE, refresh, revocation'],
  mcp: ['Agents', 'the MCP endpoint: how to connect a client, scopes, resources, errors'],
  agents: [
    'Hosts of agents',
    'Claude, ChatGPT, Codex, Gemini CLI, VS Code, Cursor, Goose: what each takes, by OAuth and by key',
  ],
  python: [
    'Python',
    'listings and market figures with the standard library and pandas, and in PostgreSQL by COPY',
  ],
  'market-figures': [
    'Market figures',
    'questions about a market, the code that answers each, and what it prints',
  ],
  limits: ['Limits', 'who may call what, and how often'],
  versioning: ['Versions', 'what a release may change, how an end is announced, upgrades'],
  'mcp-tools': ['Tools for agents', 'each tool of the MCP endpoint with its arguments'],
  'mcp-transcript': ['A task for an agent', 'from a question to the event of a watcher, with every call'],
  security: ['Security', 'what the service promises about keys, tokens and data'],
  production: ['Production', 'from an empty server to a service with TLS, backups and alerts'],
  scaling: ['Scaling', 'several nodes behind a load balancer: when, how, and what each step gives'],
  restore: ['Restore, move, upgrade', 'how to come back from a backup, and to another database or machine'],
  importing: ['Importing files', 'listings and areas from CSV, JSON and GeoJSON'],
  sources: ['Sources', 'RESO feeds that the service reads, several at once, set up by a file or by commands'],
  licences: ['Licences', 'what a feed permits, and whom each channel shows its listings'],
  photos: ['Photos', 'how photos are shown: linked, fetched for readers, or copied'],
  push: ['Pushing listings', 'listings of your own, pushed by programs over HTTP'],
  billing: ['Billing', 'keys of your own, and subscriptions at Polar and Stripe'],
  basemap: ['Base map', 'streets and water under the areas of the explorer, from a file of your own'],
  configuration: ['Configuration', 'every setting of the service'],
} as const satisfies Readonly<Record<string, readonly [title: string, about: string]>>;

export type DocumentName = keyof typeof DOCUMENTS;

export const DOCUMENT_NAMES = Object.keys(DOCUMENTS) as readonly DocumentName[];

/** Documents for whoever runs a service; the others are for whoever uses one. */
export const FOR_OPERATORS: ReadonlySet<DocumentName> = new Set([
  'production',
  'scaling',
  'restore',
  'importing',
  'sources',
  'licences',
  'photos',
  'push',
  'billing',
  'basemap',
  'configuration',
]);

/** Files of docs/examples, which documents link to. */
export const EXAMPLES: readonly string[] = readdirSync(join(FOLDER, 'examples'));

/** Where the documents say that the service is: the address after a plain `npm start`. */
const DEFAULT_URL = 'http://127.0.0.1:8080';

export function isServed(target: string): boolean {
  const [, document, example] = /^(?:([\w-]+)\.md|examples\/([\w.-]+))$/.exec(target) ?? [];
  return Object.hasOwn(DOCUMENTS, document ?? '') || EXAMPLES.includes(example ?? '');
}

export function readExample(file: string): string {
  return readFileSync(join(FOLDER, 'examples', file), 'utf8');
}

/** Reads a document as Markdown, filled with `publicUrl` and `values`. */
export function readDocument(
  name: DocumentName,
  publicUrl: string,
  values: Readonly<Record<string, string>>,
): string {
  return fillDocument(readFileSync(join(FOLDER, `${name}.md`), 'utf8'), publicUrl, values);
}

/** Replaces the default address, placeholders such as {{table of tiers}}, and links to files that are not served. */
export function fillDocument(
  text: string,
  publicUrl: string,
  values: Readonly<Record<string, string>>,
): string {
  return text
    .replaceAll(DEFAULT_URL, publicUrl)
    .replaceAll(/\{\{([^{}\n]+)\}\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`There is no value for the placeholder {{${name}}}`);
      return value;
    })
    .replaceAll(
      /\[([^\]\n]+)\]\((?!https?:|#)([^()#\s]+)[^()\s]*\)/g,
      (link, words: string, target: string) => (isServed(target) ? link : words),
    );
}
