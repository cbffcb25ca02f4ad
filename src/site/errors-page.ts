// Page about errors: one entry for each code, with the remedy.
import { PROBLEMS, type ProblemCode } from '../lib/problem.ts';
import { type Html, html } from '../page/html.ts';
import { code as codeBlock, renderPage, toRoot } from './layout.ts';
import ENTRIES from './problem-entries.json' with { type: 'json' };
import STREAM_ERRORS from './stream-errors.json' with { type: 'json' };

interface Group {
  readonly title: string;
  readonly includes: (code: ProblemCode) => boolean;
}

const statusIn =
  (...statuses: readonly number[]) =>
  (code: ProblemCode): boolean =>
    statuses.includes(PROBLEMS[code][0]);

/** Each code is in the first group that includes it. */
const GROUPS: readonly Group[] = [
  { title: 'Authentication', includes: statusIn(401, 403) },
  { title: 'Limits', includes: statusIn(429) },
  { title: 'Resources', includes: statusIn(404) },
  { title: 'Requests', includes: (code) => PROBLEMS[code][0] < 500 },
  { title: 'Service', includes: () => true },
];

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

export function errorsPage(publicUrl: string): string {
  const groups = GROUPS.map(({ title }) => ({
    title,
    codes: CODES.filter((code) => GROUPS.find(({ includes }) => includes(code))?.title === title),
  }));
  return renderPage({
    name: 'errors',
    title: 'Errors',
    summary:
      'Every error is a JSON document with a stable code. This page explains what each code means, when it occurs, and what to do.',
    content: html`<div class="map">
<nav class="legend" aria-label="Codes"><h2>Codes</h2>
${groups.map(({ title, codes }) => html`<h3>${title}</h3><ul>${codes.map((code) => html`<li><a href="#${code}">${code}</a></li>`)}</ul>`)}
<h3>Within a stream</h3><ul>${Object.keys(STREAM_ERRORS).map((code) => html`<li><a href="#${code}">${code}</a></li>`)}</ul></nav>
<div>
${format(publicUrl)}
${groups.map(({ title, codes }) => html`<section><h2>${title}</h2>${codes.map((code) => entry(code, publicUrl))}</section>`)}
${streamErrors()}
</div></div>`,
  });
}

function format(publicUrl: string): Html {
  return html`<section><h2>Format</h2>
<p>Errors are problem documents (RFC 9457) of the type <code>application/problem+json</code>. Programs should use
<code>code</code>, which never changes its meaning; <code>detail</code> is a sentence for people. <code>requestId</code> is also in the
header <code>X-Request-Id</code> of every response: quote it when you ask the operator for help.</p>
${example('INVALID_PARAMETER', publicUrl)}</section>`;
}

function entry(code: ProblemCode, publicUrl: string): Html {
  const [status, title] = PROBLEMS[code];
  const { means, when, next } = ENTRIES[code];
  return html`<article class="entry" id="${code}"><h3><a href="#${code}">${code}</a><span>${status} ${title}</span></h3>
<p>${means}</p>
<dl><dt>When</dt><dd>${when}</dd><dt>Next</dt><dd>${next}</dd></dl>
<details><summary>Example</summary>${example(code, publicUrl)}</details></article>`;
}

/** Further members of some codes' documents. */
const MEMBERS: Partial<Record<ProblemCode, object>> = {
  INVALID_PARAMETER: {
    errors: [
      { parameter: 'minBedroom', detail: 'This parameter does not exist.', suggestion: 'minBedrooms' },
      { parameter: 'limit', detail: 'Must be a whole number from 1.' },
    ],
  },
  INVALID_BODY: { errors: [{ pointer: '/limit', detail: 'Must be a whole number.' }] },
  RATE_LIMITED: { violatedPolicies: ['minute'] },
  QUOTA_EXCEEDED: { violatedPolicies: ['month'] },
  TOO_MANY_STREAMS: { violatedPolicies: ['streams'] },
};

function example(code: ProblemCode, publicUrl: string): Html {
  const [status, title] = PROBLEMS[code];
  const type = `${publicUrl}/docs/errors#${code}`;
  const detail = ENTRIES[code].means;
  const problem = { type, title, status, detail, code, requestId: 'req_Yb0mV2nTq3hJk9Lw', ...MEMBERS[code] };
  return codeBlock(JSON.stringify(problem, null, 2));
}

function streamErrors(): Html {
  const entries = Object.entries(STREAM_ERRORS).map(
    ([
      code,
      { means, retryable, next },
    ]) => html`<article class="entry" id="${code}"><h3><a href="#${code}">${code}</a></h3>
<p>${means}</p><dl><dt>retryable</dt><dd><code>${String(retryable)}</code></dd><dt>Next</dt><dd>${next}</dd></dl></article>`,
  );
  return html`<section><h2>Within a stream</h2>
<p>Once <a href="${toRoot('errors')}docs/reference#tag/live">a listing stream</a> is open, its status is 200. If the live fetch
fails, the event <code>error</code> replaces <code>live</code>, and <code>done</code> still ends the stream. The cached
record that came first remains valid. <code>retryable</code> says whether an early retry may help.</p>
${codeBlock('event: error', 'data: {"code":"timeout","message":"…","retryable":true,"requestId":"req_…"}')}
${entries}</section>`;
}
