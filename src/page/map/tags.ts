// Template tags that a drawing is written with: strings on the server, lit-html in a browser.

import { type Html, html } from '../html.ts';

export type TagValue<T> = T | string | number | null | readonly TagValue<T>[];

export type Tag<T> = (parts: TemplateStringsArray, ...values: readonly TagValue<T>[]) => T;

/** `svg` is for what stands inside an svg element, which lit-html has to know. */
export interface Tags<T> {
  readonly html: Tag<T>;
  readonly svg: Tag<T>;
}

export const TEXT_TAGS: Tags<Html> = { html, svg: html };
