// What panels of filters are made of: hidden fields, inputs, choices, and the row of buttons at the end.

import type { Tags } from '../../page/map/tags.ts';
import type { Parameters } from '../view/parameters.ts';
import { carried, linkTo } from '../view/parameters.ts';
import { countWords } from './words.ts';

/** Parameters that a form sends on unchanged, as hidden fields. */
export function hiddenFields<T>(
  { html }: Tags<T>,
  parameters: Parameters,
  fields: readonly string[],
): readonly T[] {
  return carried(parameters, fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

export interface TextField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly mode?: 'numeric' | 'decimal' | 'search';
}

export function textField<T>({ html }: Tags<T>, field: TextField): T {
  const { name, label, value, placeholder = '', mode = 'numeric' } = field;
  return html`<label class="field"><span>${label}</span><input name="${name}" value="${value}" placeholder="${placeholder}" inputmode="${mode}" autocomplete="off" maxlength="200"></label>`;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly isChosen: boolean;
  /** Homes that it would give, or of which it is true; null: not counted. */
  readonly count: number | null;
}

/** Radio buttons or checkboxes of one parameter. */
export function choices<T>(
  { html }: Tags<T>,
  type: 'radio' | 'checkbox',
  name: string,
  options: readonly Choice[],
): readonly T[] {
  return options.map(({ value, label, isChosen, count }) => {
    const number = count === null ? null : html`<span class="count">${countWords(count)}</span>`;
    return isChosen
      ? html`<label class="choice"><input type="${type}" name="${name}" value="${value}" checked><span>${label}</span>${number}</label>`
      : html`<label class="choice"><input type="${type}" name="${name}" value="${value}"><span>${label}</span>${number}</label>`;
  });
}

export function selectField<T>(
  { html }: Tags<T>,
  name: string,
  label: string,
  options: readonly Omit<Choice, 'count'>[],
): T {
  const items = options.map(({ value, label: words, isChosen }) =>
    isChosen
      ? html`<option value="${value}" selected>${words}</option>`
      : html`<option value="${value}">${words}</option>`,
  );
  return html`<label class="field"><span>${label}</span><select name="${name}">${items}</select></label>`;
}

export interface PanelEnd {
  /** Of the link that removes the filter, such as `Any price`; null: nothing to remove. */
  readonly anyLabel: string | null;
  /** Homes without the filter. */
  readonly anyCount: number | null;
  readonly removed: readonly string[];
  readonly parameters: Parameters;
}

/** `Any price 109` and `Show homes`; scripts put the number of the chosen values into `[data-show]`. */
export function panelEnd<T>({ html }: Tags<T>, { anyLabel, anyCount, removed, parameters }: PanelEnd): T {
  const without = Object.fromEntries(removed.map((name) => [name, null]));
  const number = anyCount === null ? null : html` <span class="count">${countWords(anyCount)}</span>`;
  const any =
    anyLabel === null
      ? null
      : html`<a class="btn bare small" href="${linkTo(parameters, without)}">${anyLabel}${number}</a>`;
  return html`<div class="panel-end">${any}<button class="btn primary" data-show>Show homes</button></div>`;
}
