// Events of a live stream as its reader sees them: on a line of milliseconds, as a list, and what changed between two of them.

import { html, svg, type TemplateResult } from 'lit-html';
import type { Listing } from '../../../listings/record.ts';
import { niceTicks, percent } from '../../../page/chart/ticks.ts';
import { ageWords, momentWords } from '../../home/words.ts';
import { now } from '../clock.ts';
import { homeAddress } from '../links.ts';
import { changesBetween } from './live-changes.ts';
import type { LiveEvent } from './live-stream.ts';

/** Events on a line of milliseconds. */
export function timeline(events: readonly LiveEvent[]): TemplateResult {
  const shown = events.filter(({ kind }) => kind !== 'done' && kind !== 'heartbeat');
  const end = Math.max(100, ...events.map(({ at }) => at));
  const { values } = niceTicks(0, end, 5);
  const x = (at: number): string => percent(0.02 + (at / (values.at(-1) ?? end)) * 0.94);
  const words = shown.map(({ kind, at }) => `${kind} after ${at} milliseconds`).join(', ');
  const isCrowded = shown.length > 1 && (shown[1]?.at ?? 0) - (shown[0]?.at ?? 0) < end * 0.18;
  return html`<svg class="chart live-line" height="58" role="img" aria-label="${words}"><line class="base" x1="0" x2="100%" y1="30" y2="30"></line><g class="axis">${values.map(
    (value, at) =>
      svg`<text x="${x(value)}" y="50" text-anchor="${at === 0 ? 'start' : 'middle'}">${value.toLocaleString('en-US')}${at === 0 ? ' ms' : ''}</text>`,
  )}</g>${shown.map(
    ({ kind, at }, index) =>
      svg`<circle class="event ${kind}" cx="${x(at)}" cy="30" r="5"></circle>${
        isCrowded && index === 0
          ? null
          : svg`<text class="note ${kind === 'cached' ? '' : 'strong'}" x="${x(at)}" y="16" text-anchor="${index === 0 ? 'start' : at > end * 0.6 ? 'end' : 'middle'}">${isCrowded ? 'cached, then ' : ''}${kind}</text>`
      }`,
  )}</svg>`;
}

export function logOf(events: readonly LiveEvent[]): TemplateResult {
  return html`<ol class="live-log">${events.map(
    (event) =>
      html`<li><span class="time">${event.at.toLocaleString('en-US')} ms</span><code>${event.kind === 'heartbeat' ? 'waiting' : event.kind}</code><span>${logWords(event, events)}</span></li>`,
  )}</ol>`;
}

function logWords(event: LiveEvent, events: readonly LiveEvent[]): string {
  const today = now();
  const [cached, live] = [listingOf(events, 'cached'), listingOf(events, 'live')];
  if (event.kind === 'cached') {
    const at = Date.parse(event.listing.fetchedAt);
    return `stored at ${momentWords(at, today)}, ${ageWords(at, today)}`;
  }
  if (event.kind === 'live') {
    const changed = cached === null ? 0 : changesBetween(cached, event.listing, today).length;
    return `read now, ${changed === 0 ? 'nothing changed' : changed === 1 ? '1 fact changed' : `${changed} facts changed`}`;
  }
  if (event.kind === 'heartbeat') return 'the source has not answered yet';
  if (event.kind === 'error') return `${event.code}: ${event.message}`;
  return live === null ? 'the stored facts stand' : `stored as version ${live.version}`;
}

export function changesOf(events: readonly LiveEvent[]): TemplateResult | null {
  const [cached, live] = [listingOf(events, 'cached'), listingOf(events, 'live')];
  if (cached === null || live === null) return null;
  const changes = changesBetween(cached, live, now());
  if (changes.length === 0)
    return html`<p>Nothing changed between the two: what you see is as its source has it.</p>`;
  return html`<div class="live-changes"><h3>Changed between the two</h3><dl>${changes.map(
    ({ name, before, after }) =>
      html`<div><dt>${name}</dt><dd><s>${before}</s> <ins>${after}</ins></dd></div>`,
  )}</dl><p><a href="${homeAddress(live.id)}">Show the home with them</a></p></div>`;
}

function listingOf(events: readonly LiveEvent[], kind: 'cached' | 'live'): Listing | null {
  const found = events.find((event) => event.kind === kind);
  return found !== undefined && 'listing' in found ? found.listing : null;
}
