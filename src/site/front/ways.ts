// What one can do with the service, as cards: explore, build, connect an agent, see the plans.

import { type Fragment, Html, html } from '../../page/html.ts';

export interface WaysOptions {
  readonly publicUrl: string;
  readonly hasExplorer: boolean;
  /** Requests below /v1 that the service answers. */
  readonly operations: number;
}

interface Way {
  readonly title: string;
  /** A drawing, or what one would type. */
  readonly sign: Fragment;
  readonly text: string;
  readonly href: string;
  readonly link: string;
}

const MAP_SIGN = new Html(
  '<svg viewBox="0 0 96 52" aria-hidden="true" fill="none" stroke-linejoin="round"><path d="M3 38 12 14l26-8 22 7 30-4 3 28-20 10-31-3z" fill="var(--land)" stroke="var(--quiet)"/><path d="m38 6 4 38M60 13l13 34" stroke="var(--quiet)" stroke-opacity=".5"/><g stroke="var(--sale)" stroke-width="1.5" fill="var(--raised)"><circle cx="28" cy="25" r="8"/><circle cx="68" cy="28" r="11"/></g></svg>',
);
const PLANS_SIGN = new Html(
  '<svg viewBox="0 0 96 52" aria-hidden="true"><path d="M0 51.5h96" stroke="var(--ink)"/><path d="M4 51V40h22v11z" fill="var(--edge)"/><path d="M36 51V26h22v25z" fill="var(--accent)" fill-opacity=".6"/><path d="M68 51V6h22v45z" fill="var(--accent)"/></svg>',
);

function ways({ publicUrl, hasExplorer, operations }: WaysOptions): readonly Way[] {
  const requests = ['search/sales', 'market/history', 'listing/{id}'].map(
    (path) => html`GET /v1/${path}<br>`,
  );
  return [
    ...(hasExplorer
      ? [
          {
            title: 'Explore',
            sign: MAP_SIGN,
            text: 'Map, list and filters in step. Every view is a link that you can share.',
            href: 'explore',
            link: 'Open the map',
          },
        ]
      : []),
    {
      title: 'Build',
      sign: html`${requests}`,
      text: `${operations} requests, one description in OpenAPI, and the limits in every answer.`,
      href: 'docs/start',
      link: 'First steps',
    },
    {
      title: 'Connect an agent',
      sign: publicUrl.replace(/^https?:\/\//, '').concat('/mcp'),
      text: 'Search, compare and watch from the assistant or editor that you use.',
      href: 'docs/mcp',
      link: 'How to connect',
    },
    {
      title: 'Plans',
      sign: PLANS_SIGN,
      text: 'Start without a key. What each plan adds and costs.',
      href: 'billing',
      link: 'Compare plans',
    },
  ];
}

export function waysSection(options: WaysOptions): Html {
  const items = ways(options).map(
    ({ title, sign, text, href, link }) =>
      html`<li><div class="sign">${sign}</div><h3>${title}</h3><p>${text}</p><a href="${href}">${link}</a></li>`,
  );
  return html`<section><h2>What you can do here</h2><ul class="ways">${items}</ul></section>`;
}
