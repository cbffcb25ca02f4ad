// Notices, and what stands in the list where no homes can: nothing found, or not without signing in.

import type { Tags } from '../../page/map/tags.ts';
import { linkTo, type Parameters } from '../view/parameters.ts';
import { icon } from './icons.ts';
import { countWords } from './words.ts';

export interface Notice {
  readonly kind: 'information' | 'warning' | 'error';
  /** What happened. */
  readonly title: string;
  /** What happens next, or what to do. */
  readonly text: string;
  readonly action?: Link | null;
  /** Ways on beside it. */
  readonly others?: readonly Link[];
}

export interface Link {
  readonly label: string;
  readonly href: string;
}

/** A link with the number of homes that it leads to. */
export interface CountedLink extends Link {
  readonly count: number;
}

/** `role="status"`: read out when it comes. */
export function notice<T>({ html }: Tags<T>, { kind, title, text, action = null, others = [] }: Notice): T {
  const links = [...(action === null ? [] : [action]), ...others];
  const buttons =
    links.length === 0
      ? null
      : html`<div class="buttons">${links.map(({ label, href }) => html`<a class="btn" href="${href}">${label}</a>`)}</div>`;
  return html`<div class="notice ${kind}" role="status"><span class="mark" aria-hidden="true"></span><strong>${title}</strong><p>${text}</p>${buttons}</div>`;
}

/** Nothing found: the nearest ways out, each with the number of homes that it gives; the last is the first choice. */
export function emptyList<T>({ html }: Tags<T>, text: string, ways: readonly CountedLink[]): T {
  const links = ways.map(
    ({ label, href, count }, at) =>
      html`<a class="${at === ways.length - 1 ? 'btn primary' : 'btn'}" href="${href}">${label} <span class="quiet">${countWords(count)}</span></a>`,
  );
  return html`<div class="panel"><div class="middle"><h2>No home like this here</h2><p>${text}</p><div class="buttons">${links}</div></div></div>`;
}

export interface LockedPanel {
  readonly title: string;
  /** What is needed, and what one sees without. */
  readonly text: string;
  /** The last is the first choice. */
  readonly links: readonly Link[];
}

export function lockedPanel<T>(tags: Tags<T>, { title, text, links }: LockedPanel): T {
  const { html } = tags;
  const buttons = links.map(
    ({ label, href }, at) =>
      html`<a class="${at === links.length - 1 ? 'btn primary' : 'btn'}" href="${href}">${label}</a>`,
  );
  return html`<div class="panel"><div class="middle">${icon(tags, 'lock')}<h2>${title}</h2><p>${text}</p><div class="buttons">${buttons}</div></div></div>`;
}

/** Progress of a source's first load. */
export interface FirstLoad {
  readonly source: string;
  readonly records: number;
  /** Null: the source does not say. */
  readonly total: number | null;
}

export function loadingNotice({ source, records, total }: FirstLoad): Notice {
  const far =
    total === null
      ? `${countWords(records)} listings so far`
      : `${countWords(records)} of ${countWords(total)} listings`;
  return {
    kind: 'information',
    title: `The source ${source} is being loaded for the first time`,
    text: `${far}. Counts and homes cover what is loaded so far.`,
  };
}

/** A view in one of several currencies. */
interface PricedView {
  readonly currency: string | null;
  readonly otherCurrencies: { readonly homes: number; readonly currencies: readonly string[] } | null;
}

/** The currency that requests for a view have to name; null: its homes have one, or its parameters name it. */
export const namedCurrency = ({ currency, otherCurrencies }: PricedView): string | null =>
  otherCurrencies === null ? null : currency;

/** What a view in one of several currencies leaves out, and the ways there; null: nothing. */
export function currencyNotice(view: PricedView, parameters: Parameters): Notice | null {
  const { currency, otherCurrencies } = view;
  if (currency === null || otherCurrencies === null) return null;
  const { homes, currencies } = otherCurrencies;
  const [action = null, ...others] = currencies.map((each) => ({
    label: `Show ${each}`,
    href: linkTo(parameters, { currency: each, bbox: null, zoom: null }),
  }));
  return {
    kind: 'information',
    title: `Homes priced in ${currency}`,
    text: `${countWords(homes)} more ${homes === 1 ? 'is' : 'are'} priced in ${currencies.join(', ')}. Prices are compared in one currency at a time.`,
    action,
    others,
  };
}
