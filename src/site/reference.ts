// Interactive API reference: the page that shows Scalar, its OpenAPI document, and the script of Scalar.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import { conditional, isKnown, strongEtag, weakEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import type { Clock } from '../lib/clock.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { cacheFor } from '../lib/single-flight.ts';
import { Html, html } from '../page/html.ts';
import { DARK, LIGHT, type Palette } from '../page/palette.ts';
import { site } from '../page/site.ts';
import { FRAME_STYLE, hashSource, withSiteColours } from '../page/style.ts';
import { header, headOf, type PageRequest } from './layout.ts';

/** Nothing is loaded from, sent to or stored elsewhere; keys are forgotten on leaving. */
const CONFIGURATION = {
  url: 'reference.json',
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  hideDarkModeToggle: true,
  documentDownloadType: 'none',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenFirstTag: true,
  metaData: { title: 'Try it · Freehold' },
};

const SCRIPT = `Scalar.createApiReference('#reference', ${JSON.stringify(CONFIGURATION)})`;

/** Scalar creates styles at run time, and shows icons from data URLs. */
export function referencePolicy(): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${hashSource(SCRIPT)}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export function interactivePage(): string {
  const summary = 'Every endpoint of the service, with its parameters, answers and errors.';
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Try it · ${site().name}</title>${headOf(summary)}<style>${new Html(withSiteColours(FRAME_STYLE + THEME))}</style></head>
<body class="reference">
<a class="skip" href="#reference">Skip to the reference</a>
${header('reference')}
<noscript><p>This page needs JavaScript. <a href="../docs">The reference</a> lists every endpoint without.</p></noscript>
<main id="reference"></main>
<script src="reference.js?v=${SCALAR_VERSION}"></script>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}

/** Our colours as Scalar's custom properties. */
function theme(palette: Palette): string {
  const { paper, ink, quiet, line, land, water, accent, sale, rental, warning, error } = palette;
  const values = {
    'background-1': paper,
    'background-2': land,
    'background-3': water,
    'background-4': line,
    'background-accent': `${accent}1f`,
    'border-color': line,
    'color-1': ink,
    'color-2': quiet,
    'color-3': quiet,
    'color-accent': accent,
    'link-color': accent,
    'color-green': accent,
    'color-red': error,
    'color-yellow': warning,
    'color-orange': sale,
    'color-blue': rental,
    'color-purple': rental,
    'color-danger': error,
    'color-alert': warning,
    'button-1': accent,
    'button-1-color': paper,
    'button-1-hover': ink,
    'sidebar-background-1': paper,
    'sidebar-border-color': line,
    'sidebar-color-1': ink,
    'sidebar-color-2': quiet,
    'sidebar-color-active': ink,
    'sidebar-item-active-background': land,
    'sidebar-item-hover-background': land,
    'sidebar-search-background': paper,
    'sidebar-search-border-color': line,
    'sidebar-search-color': quiet,
  };
  return Object.entries(values)
    .map(([name, value]) => `--scalar-${name}:${value}`)
    .join(';');
}

const THEME = `
.light-mode{${theme(LIGHT)}}
.dark-mode{${theme(DARK)}}
.light-mode,.dark-mode{--scalar-font:var(--sans);--scalar-font-code:var(--mono);--scalar-radius:4px;--scalar-radius-lg:6px;
--scalar-radius-xl:6px;--scalar-shadow-1:none;--scalar-shadow-2:0 0 0 1px var(--line)}
.reference h1{font-family:var(--serif);font-weight:400;letter-spacing:-.01em}
.reference noscript p{padding:24px}
.reference .note{margin:0;padding:12px 24px;background:var(--water)}
.reference section:focus-visible{outline:none}
`.replaceAll('\n', '');

type Document = Readonly<Record<string, unknown>>;

export interface ReferenceOptions {
  readonly clock: Clock;
  /** The served document; called when the page is first shown. */
  readonly document: () => Document;
  /** By operation, the optional parameters of its sample. */
  readonly samples: Readonly<Record<string, object>>;
  /** Ids in the document's examples, by kind. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Ids of the running store by kind; null while it has none. */
  readonly findIds: () => Promise<Readonly<Record<string, string | null>> | null>;
}

/** Milliseconds that ids are cached: requests to the page are not limited. */
const ID_LIFETIME = 60_000;

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
  'cross-origin-resource-policy': 'same-origin',
};

/** The handler of the document. If the database is unavailable, examples keep their placeholders. */
export function referenceHandler(options: ReferenceOptions) {
  let template: string | undefined;
  const text = cacheFor(ID_LIFETIME, options.clock, () => {
    template ??= JSON.stringify(withSamples(options.document(), options.samples));
    return fillPlaceholders(template, options);
  });
  return async ({ headers }: PageRequest): Promise<Reply> => {
    const document = await text();
    return conditional(headers, strongEtag(document), { text: document, headers: HEADERS });
  };
}

async function fillPlaceholders(
  template: string,
  { placeholders, findIds }: ReferenceOptions,
): Promise<string> {
  const ids = await nullIfUnavailable(findIds());
  return Object.entries(placeholders).reduce((text, [name, placeholder]) => {
    const id = ids?.[name] ?? placeholder;
    return text.replaceAll(JSON.stringify(placeholder), () => JSON.stringify(id));
  }, template);
}

/**
 * Scalar's sample request of an operation has every parameter with an example that is not disabled. Not all of them go
 * together, so those that the operation's sample does not name are disabled.
 */
export function withSamples(document: Document, samples: ReferenceOptions['samples']): Document {
  const paths = mapValues(document.paths, (methods) =>
    mapValues(methods, (operation) => {
      const { operationId, parameters } = operation as { operationId?: string; parameters?: Parameter[] };
      if (parameters === undefined) return operation;
      const sample = samples[operationId ?? ''] ?? {};
      return { ...(operation as object), parameters: parameters.map((each) => withSample(each, sample)) };
    }),
  );
  return { ...document, paths };
}

interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

function withSample({ example, ...parameter }: Parameter, sample: object): object {
  if (example === undefined) return parameter;
  const isEnabled = parameter.required === true || Object.hasOwn(sample, parameter.name);
  return { ...parameter, examples: { sample: { value: example, 'x-disabled': !isEnabled } } };
}

function mapValues(value: unknown, change: (member: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, member]) => [name, change(member)]));
}

/** Identifies the bytes of the script: a release never changes. */
export const SCALAR_VERSION = readVersion();
const TAG = weakEtag('scalar', SCALAR_VERSION);

let script: Promise<Uint8Array> | undefined;

/** Answers with the script; with the current version in `v`, clients may cache it for a year. */
export async function scalarReply({ headers }: PageRequest, v: string | undefined): Promise<Reply> {
  const common = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': v === SCALAR_VERSION ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
    etag: TAG,
  };
  if (isKnown(headers['if-none-match'], TAG)) return { status: 304, headers: common };
  const bytes = await readScript();
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))) {
    return { bytes, headers: { ...common, 'content-encoding': 'gzip' } };
  }
  return { bytes: await promisify(gunzip)(bytes), headers: common };
}

/** The script is a string within a plugin of 4 MB, so a thread extracts it and ends. Only its gzip stays in memory. */
function readScript(): Promise<Uint8Array> {
  script ??= extractScript().catch((error: unknown) => {
    script = undefined;
    throw error;
  });
  return script;
}

async function extractScript(): Promise<Uint8Array> {
  const worker = new Worker(new URL('./scalar-worker.ts', import.meta.url));
  try {
    const [bytes] = (await once(worker, 'message')) as [Uint8Array];
    return bytes;
  } finally {
    await worker.terminate();
  }
}

function readVersion(): string {
  const entry = import.meta.resolve('@scalar/fastify-api-reference');
  const text = readFileSync(new URL('../package.json', entry), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
