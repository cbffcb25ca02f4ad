// One request in three ways to send it, and the answer that this service gives to it.

import { type Fragment, Html, html } from '../../page/html.ts';
import { icon } from '../../page/icons.ts';
import { curlCode, fetchCode, parameterLine, type RequestParameters } from '../../page/request-code.ts';
import { sheet } from '../../page/style.ts';

export interface ExampleRequest {
  /** Below the public URL. */
  readonly path: string;
  readonly parameters: RequestParameters;
  /** What it asks, as a sentence. */
  readonly question: string;
  /** The tool that agents call for it. */
  readonly tool: string;
  /** The members of a row that are shown, where a row has more than can be; null: all. */
  readonly members: readonly string[] | null;
  /** The filters that the explorer shows the same homes with; null: it shows something else. */
  readonly view: RequestParameters | null;
}

export interface FrontAnswer {
  readonly request: ExampleRequest;
  readonly body: Readonly<Record<string, unknown>>;
  /** What answering took. */
  readonly milliseconds: number;
}

export interface RequestSection {
  readonly publicUrl: string;
  readonly answer: FrontAnswer;
  /** What a request costs a caller without credentials. */
  readonly cost: string;
  readonly hasExplorer: boolean;
}

export function requestSection({ publicUrl, answer, cost, hasExplorer }: RequestSection): Html {
  const { request, body } = answer;
  const ways = waysToSend(publicUrl, request);
  const tabs = ways.map(
    ({ id, title }, at) =>
      html`<label><input type="radio" name="way" value="${id}"${at === 0 ? html` checked` : null}>${title}</label>`,
  );
  const panels = ways.map(
    ({ id, lines }) => html`<div class="way code" data-way="${id}"><pre><code>${lines}</code></pre></div>`,
  );
  const view = hasExplorer && request.view !== null ? viewLink(request.view, totalOf(body)) : null;
  return html`<section><h2>One question, three ways to ask</h2><p class="asked-about">${request.question} The answer is the same for people, programs and agents.</p>
<div class="asked"><div class="code-box"><header><div class="tabs" role="radiogroup" aria-label="Ways to send the request">${tabs}</div></header>${panels}<footer>${cost}</footer></div>
<div class="code-box"><header><span class="ok">${icon('check')}200</span><span>${summaryOf(answer)}</span></header><pre><code>${answerLines(body, request.members)}</code></pre><footer>${view ?? 'Made by this service just now.'}</footer></div></div></section>`;
}

interface Way {
  readonly id: string;
  readonly title: string;
  readonly lines: Fragment;
}

function waysToSend(publicUrl: string, request: ExampleRequest): readonly Way[] {
  const { path, parameters, tool } = request;
  const url = `${publicUrl}${path}`;
  const args = Object.fromEntries(
    parameters.map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
  return [
    { id: 'curl', title: 'curl', lines: coloured(curlCode(url, parameters)) },
    { id: 'typescript', title: 'TypeScript', lines: coloured(fetchCode(url, parameters)) },
    {
      id: 'agent',
      title: 'Agent',
      lines: html`claude mcp add --transport http \\\n  freehold ${text(`${publicUrl}/mcp`)}\n
${tool}(${jsonValue(args)})`,
    },
  ];
}

function coloured(code: string): Fragment {
  const lines = code.split('\n').map((line) => {
    const parameter = parameterLine(line);
    if (parameter === null) return plain(line);
    const { start, name, sign, value, end } = parameter;
    return html`${start}${key(name)}${sign}${text(value)}${end}`;
  });
  return joined(lines, '\n');
}

/** Elements of one letter colour the code: the page is to be small. */
const key = (name: string): Html => html`<b>${plain(name)}</b>`;
const text = (value: string): Html => html`<i>${plain(value)}</i>`;
const comment = (value: string): Html => html`<s>${plain(value)}</s>`;

/** Between elements quotation marks stay as they are. */
const plain = (value: string): Html =>
  new Html(value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));

function viewLink(filters: NonNullable<ExampleRequest['view']>, total: number | null): Html {
  // The explorer knows a city by its area, and words as the search box reads them.
  const query = new URLSearchParams(
    filters.map(([name, value]) => [name === 'city' ? 'find' : name, value]),
  ).toString();
  const homes =
    total === null ? 'them' : total === 1 ? 'this home' : `these ${total.toLocaleString('en-US')} homes`;
  return html`<a href="explore${query === '' ? '' : `?${query}`}">See ${homes} on the map</a>`;
}

function totalOf({ total }: FrontAnswer['body']): number | null {
  if (typeof total === 'number') return total;
  const value = (total as { readonly value?: unknown } | null | undefined)?.value;
  return typeof value === 'number' ? value : null;
}

function summaryOf({ body, milliseconds }: FrontAnswer): string {
  const total = totalOf(body);
  const rows = Array.isArray(body.data) ? body.data.length : 0;
  const count =
    total === null ? null : `${rows} of ${total.toLocaleString('en-US')} ${total === 1 ? 'home' : 'homes'}`;
  return [`${Math.max(1, Math.round(milliseconds))} ms`, count, 'no key needed']
    .filter((part) => part !== null)
    .join(' · ');
}

/** Of the members around the rows, those that say something here; the others are left out visibly. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  page: ['hasMore', 'nextCursor'],
  priceChange: ['amount', 'percent'],
  meta: ['currency', 'dataAsOf'],
};
const MAX_TEXT = 28;

function answerLines(body: FrontAnswer['body'], shown: readonly string[] | null): Fragment {
  const members = Object.entries(body)
    .filter(([name]) => name !== 'object')
    .map(([name, value]) => html`  ${key(`"${name}"`)}: ${memberValue(name, value, shown)}`);
  return html`{\n${joined(members, ',\n')}\n}`;
}

function memberValue(name: string, value: unknown, shown: readonly string[] | null): Fragment {
  if (name !== 'data' || !Array.isArray(value)) return jsonValue(value, SHOWN[name]);
  const [first] = value;
  if (first === undefined) return '[]';
  const more = value.length - 1;
  return html`[\n    ${jsonRow(first, shown)}${more === 0 ? null : html`,\n    ${comment(`… ${more} more`)}`}\n  ]`;
}

/** A row with one member a line. */
function jsonRow(row: unknown, names: readonly string[] | null): Fragment {
  const entries = Object.entries((row ?? {}) as object).filter(([name]) => name !== 'object');
  const chosen = entries.filter(([name]) => names === null || names.includes(name));
  const shown = chosen.map(
    ([name, value]) => html`      ${key(`"${name}"`)}: ${jsonValue(value, SHOWN[name])}`,
  );
  const rest = chosen.length < entries.length ? [html`      ${comment('…')}`] : [];
  return html`{\n${joined([...shown, ...rest], ',\n')}\n    }`;
}

/** A value on one line; of objects the named members, where they are. */
function jsonValue(value: unknown, names?: readonly string[]): Fragment {
  if (typeof value === 'string') {
    const short = value.length > MAX_TEXT ? `${value.slice(0, 12)}…` : value;
    return text(JSON.stringify(short));
  }
  if (typeof value === 'number') return html`<u>${value}</u>`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value))
    return html`[${joined(
      value.slice(0, 3).map((each) => html`${jsonValue(each)}`),
      ', ',
    )}${value.length > 3 ? comment(', …') : null}]`;
  const entries = Object.entries(value);
  const chosen = entries.filter(([name]) => names === undefined || names.includes(name));
  const members = chosen.map(([name, each]) => html`${key(`"${name}"`)}: ${jsonValue(each)}`);
  const rest = chosen.length < entries.length ? [html`${comment('…')}`] : [];
  return members.length + rest.length === 0 ? '{}' : html`{ ${joined([...members, ...rest], ', ')} }`;
}

const joined = (parts: readonly Html[], by: string): Html =>
  new Html(parts.map((part) => part.text).join(by));

export const REQUEST_STYLE = sheet(`
.asked :is(b,i,s,u){font-style:normal;font-weight:400;text-decoration:none}
.asked b{color:var(--rental)}
.asked i{color:var(--accent)}
.asked u{color:var(--sale)}
.asked s{color:var(--quiet)}
.asked-about{margin:-8px 0 16px;font:400 var(--tool)/1.5 var(--sans);letter-spacing:0;color:var(--quiet)}
.asked{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:20px}
.asked>.code-box{display:flex;flex-direction:column}
.asked>.code-box>footer{margin-top:auto}
.asked .way{position:relative}
.asked .copy{position:absolute;inset-inline-end:8px;top:-36px}
.tabs{display:flex;align-self:stretch}
.tabs label{display:flex;align-items:center;margin-bottom:-1px;padding-inline:12px;border-bottom:2px solid transparent;cursor:pointer}
.tabs label:hover{color:var(--ink)}
.tabs label:has(:checked){border-color:var(--accent);color:var(--ink);font-weight:600}
.tabs label:has(:focus-visible){outline:2px solid var(--accent);outline-offset:-2px}
.tabs input{position:absolute;opacity:0;pointer-events:none}
.code-box:has([value=curl]:checked) .way:not([data-way=curl]),
.code-box:has([value=typescript]:checked) .way:not([data-way=typescript]),
.code-box:has([value=agent]:checked) .way:not([data-way=agent]){display:none}
.ok{display:inline-flex;align-items:center;gap:4px;color:var(--accent);font-weight:600}
@media (max-width:900px){.asked{grid-template-columns:minmax(0,1fr)}}
`);
