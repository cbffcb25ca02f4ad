// Markdown of docs/ as HTML in the form of the pages: code that copies, tables that scroll, headings with anchors.

import { Marked, Parser, type RendererObject, type Token, type Tokens } from 'marked';
import { eventLoop } from '../lib/scheduler.ts';
import { Html, html, shortened } from '../page/html.ts';
import { code, wideTable } from './layout.ts';

const MAX_SUMMARY = 200;

export interface RenderedDocument {
  readonly title: string;
  /** The first paragraph, without marks. */
  readonly summary: string;
  readonly lead: Html;
  readonly content: Html;
}

/**
 * Renders a document that starts with its title and a paragraph. Links into `publicUrl` and to other documents become relative.
 * A long document takes tens of milliseconds before its code is compiled, so the event loop is given back between sections.
 */
export async function renderMarkdown(text: string, publicUrl: string): Promise<RenderedDocument> {
  const marked = new Marked({ renderer: rendererOf(publicUrl) });
  const parser = new Parser();
  const render = (tokens: Token[]): Html => new Html(marked.parser(tokens, marked.defaults));
  const [head = '', ...sections] = text.split(/^(?=## )/m);
  const [title, lead, ...rest] = marked.lexer(head).filter(({ type }) => type !== 'space');
  if (title?.type !== 'heading' || lead?.type !== 'paragraph')
    throw new Error('A document starts with its title and a paragraph');
  const content = [render(rest)];
  await eventLoop.forEach(sections, (section) => void content.push(render(marked.lexer(section))));
  return {
    title: title.text,
    summary: shortened(parser.parseInline(lead.tokens ?? [], parser.textRenderer), MAX_SUMMARY),
    lead: render([lead]),
    content: html`${content}`,
  };
}

/** What differs from the library's own HTML. */
function rendererOf(publicUrl: string): RendererObject {
  const ids = new Map<string, number>();
  let section = '';
  return {
    heading({ tokens, depth, text }: Tokens.Heading) {
      section = text.replaceAll('`', '');
      const id = uniqueId(section, ids);
      const tag = new Html(`h${depth}`);
      const words = new Html(this.parser.parseInline(tokens));
      return html`<${tag} id="${id}"><a class="anchor" href="#${id}">${words}</a></${tag}>\n`.text;
    },
    code({ text }: Tokens.Code) {
      return (DRAWN.test(text) ? drawing(section, text) : code(text)).text;
    },
    table({ header, rows, align }: Tokens.Table) {
      const words = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens));
      const names = header.map(words);
      const isFigures = align.includes('right');
      const body = rows.map(([first, ...cells]) => {
        const others = cells.map((cell, at) =>
          isFigures || names.length < 3
            ? html`<td>${words(cell)}</td>`
            : html`<td data-label="${header[at + 1]?.text.replaceAll('`', '') ?? ''}">${words(cell)}</td>`,
        );
        return html`<tr><th scope="row">${first === undefined ? null : words(first)}</th>${others}</tr>`;
      });
      return wideTable(section, names, body, isFigures ? 'figures' : '').text;
    },
    link({ href, tokens }: Tokens.Link) {
      const words = new Html(this.parser.parseInline(tokens));
      const target = targetOf(href, publicUrl);
      return target === null ? words.text : html`<a href="${target}">${words}</a>`.text;
    },
    image: ({ text }: Tokens.Image) => html`${text}`.text,
    html: ({ text }: Tokens.HTML | Tokens.Tag) => html`${text}`.text,
  };
}

/** Lines of boxes and arrows, which must not wrap. */
const DRAWN = /[─│▼▓]/;

function drawing(label: string, text: string): Html {
  return html`<div class="wide drawing" role="region" tabindex="0" aria-label="${label}"><pre>${text}</pre></div>`;
}

/** The id of a heading, as GitHub forms it, so that links to it also work in the repository. */
function uniqueId(heading: string, ids: Map<string, number>): string {
  const id = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const earlier = ids.get(id) ?? 0;
  ids.set(id, earlier + 1);
  return earlier === 0 ? id : `${id}-${earlier}`;
}

/** Where a link leads from a page at /docs/NAME; null where its scheme is not one of the web. */
function targetOf(href: string, publicUrl: string): string | null {
  if (href.startsWith(`${publicUrl}/`)) return `..${href.slice(publicUrl.length)}`;
  if (/^https?:|^#/.test(href)) return href;
  return /^[a-z][a-z0-9+.-]*:/i.test(href) ? null : href.replace(/^([\w-]+)\.md(?=#|$)/, '$1');
}
