// The page of the MCP App as one document: markup, styles, script and the land that maps are drawn on, with nothing to load.

import { inlineScript } from '../../explore/assets/inline-script.ts';
import { Html, html } from '../../page/html.ts';
import type { Outline } from '../../page/map/drawing.ts';
import { APP_STYLE } from './app-style.ts';

const ENTRY = 'explore/browser/app/mcp-app';
/** Characters of the land: of more, the smallest areas are left out first. */
const MAX_LAND = 200_000;
/** About ten metres. */
const DECIMALS = 4;

export interface AppLand {
  readonly ground: 'water' | 'paper';
  readonly outlines: readonly Outline[];
}

let script: string | undefined;

/** The document; `version` is that of the service. */
export function appDocument(land: AppLand, version: string): string {
  script ??= inlineScript(ENTRY);
  return `<!doctype html>${
    html`<html lang="en" data-version="${version}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Homes</title><style>${new Html(APP_STYLE)}</style></head><body><main id="app"><p class="state" role="status">Waiting for the homes.</p></main><script type="application/json" id="land">${new Html(landText(land))}</script><script>${new Html(script)}</script></body></html>`
      .text
  }`;
}

/** JSON that cannot end the script that it stands in. */
function landText({ ground, outlines }: AppLand): string {
  const levels = [...new Set(outlines.map(({ level }) => level))].toSorted((a, b) => b - a);
  const rounded = outlines.map((outline) => ({
    ...outline,
    rings: outline.rings.map((ring) => ring.map(round)),
  }));
  for (const above of [Number.POSITIVE_INFINITY, ...levels]) {
    const text = JSON.stringify({ ground, outlines: rounded.filter(({ level }) => level < above) });
    if (text.length <= MAX_LAND) return text.replaceAll('<', '\\u003c');
  }
  return JSON.stringify({ ground: 'paper', outlines: [] });
}

const round = (degrees: number): number => Number(degrees.toFixed(DECIMALS));
