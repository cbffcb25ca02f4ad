// API reference page: Scalar in our frame, restricted to this service.

import { Html, html } from '../page/html.ts';
import { DARK, LIGHT, type Palette } from '../page/palette.ts';
import { FRAME_STYLE, hashSource } from '../page/style.ts';
import { header, headOf } from './layout.ts';
import { SCALAR_VERSION } from './scalar.ts';

/** Everything that would load, send or keep something elsewhere is off; keys that are tried are forgotten on leaving. */
const CONFIGURATION = {
  url: 'docs/reference.json',
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
  metaData: { title: 'Reference · Freehold' },
};

const SCRIPT = `Scalar.createApiReference('#reference', ${JSON.stringify(CONFIGURATION)})`;

/** Scalar writes styles while it runs, and shows icons from data URLs. It needs nothing else. */
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

export function referencePage(): string {
  const summary = 'Every endpoint of the service, with its parameters, answers and errors.';
  return html`<!doctype html>
<html lang="en">
<head>${headOf('Reference', summary, FRAME_STYLE + THEME)}</head>
<body class="reference">
<a class="skip" href="#reference">Skip to the reference</a>
${header('')}
<noscript><p>This page needs JavaScript. <a href="openapi.json">openapi.json</a> has the same for machines.</p></noscript>
<main id="reference"></main>
<script src="docs/reference.js?v=${SCALAR_VERSION}"></script>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}

/** Scalar's own names for our colours. */
function theme(palette: Palette): string {
  const { paper, ink, quiet, line, land, water, accent, sale, rental, warning, error } = palette;
  const values = {
    ...{ 'background-1': paper, 'background-2': land, 'background-3': water, 'background-4': line },
    ...{ 'background-accent': `${accent}1f`, 'border-color': line },
    ...{ 'color-1': ink, 'color-2': quiet, 'color-3': quiet, 'color-accent': accent, 'link-color': accent },
    ...{ 'color-green': accent, 'color-red': error, 'color-yellow': warning, 'color-orange': sale },
    ...{ 'color-blue': rental, 'color-purple': rental, 'color-danger': error, 'color-alert': warning },
    ...{ 'button-1': accent, 'button-1-color': paper, 'button-1-hover': ink },
    ...{ 'sidebar-background-1': paper, 'sidebar-border-color': line, 'sidebar-color-1': ink },
    ...{ 'sidebar-color-2': quiet, 'sidebar-color-active': ink, 'sidebar-item-active-background': land },
    ...{ 'sidebar-item-hover-background': land, 'sidebar-search-background': paper },
    ...{ 'sidebar-search-border-color': line, 'sidebar-search-color': quiet },
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
