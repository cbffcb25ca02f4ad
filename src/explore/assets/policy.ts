// Content security policy of pages with script: modules of this service only, and Trusted Types.

import { hashSource, withSiteColours } from '../../page/style.ts';

export interface AssetPolicyOptions {
  /** The stylesheets of the page, each allowed by its hash. */
  readonly styles: readonly string[];
  /** Sources of pictures beside this service. A live page shows those of any listing, which `https:` covers. */
  readonly pictures?: readonly string[];
  /** Origin that may show the page in a frame; null: none. */
  readonly embedder?: string | null;
  /** Whether its script may say where its relative links begin, below this service only. */
  readonly hasOwnBase?: boolean;
}

/**
 * The policy. Scripts come from this service and run no text as code: the policy `default` of Trusted Types
 * (browser/trusted-types.ts) passes the URL of the map's worker and nothing else, `lit-html` is that of the templates.
 */
export function assetPolicy({
  styles,
  pictures = [],
  embedder = null,
  hasOwnBase = false,
}: AssetPolicyOptions): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles.map((style) => hashSource(withSiteColours(style))).join(' ')}`,
    `img-src 'self' data: blob:${pictures.map((origin) => ` ${origin}`).join('')}`,
    "connect-src 'self'",
    "worker-src 'self'",
    `base-uri ${hasOwnBase ? "'self'" : "'none'"}`,
    "form-action 'self'",
    `frame-ancestors ${embedder ?? "'none'"}`,
    "require-trusted-types-for 'script'",
    'trusted-types default lit-html',
  ].join('; ');
}
