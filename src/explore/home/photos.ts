// Photos of a home: a grid of the first ones, and all of them in a light box that needs no script.

import type { Listing } from '../../listings/record.ts';
import { type Html, html } from '../../page/html.ts';
import { pictureSizes, pictureSource } from '../../page/picture.ts';
import { oneLine } from './words.ts';

export interface Photo {
  /** Relative to the page or https. */
  readonly url: string;
  /** A smaller one of the same. */
  readonly small: string;
  readonly caption: string | null;
}

/** The photos that a browser may load. `root`: prefix of links from the page to the root of the service. */
export function photosOf(
  { photos }: Pick<Listing, 'photos'>,
  publicUrl: string,
  root: string,
): readonly Photo[] {
  return photos.flatMap(({ url, thumbnailUrl, caption }) => {
    const whole = pictureSource(url, publicUrl);
    if (whole === null) return [];
    const small = (thumbnailUrl === null ? null : pictureSource(thumbnailUrl, publicUrl)) ?? whole;
    const linked = (source: string): string => (source.startsWith('https:') ? source : `${root}${source}`);
    return [
      { url: linked(whole), small: linked(small), caption: caption === null ? null : oneLine(caption) },
    ];
  });
}

const IN_GRID = 5;

/** The first photos; each opens the light box at it. */
export function photoGrid(photos: readonly Photo[], photoCount: number | null): Html {
  if (photos.length === 0)
    return html`<div class="home-photos none"><p>${
      photoCount === null || photoCount === 0
        ? 'No photo of this home.'
        : 'The photos of this home may not be shown here.'
    }</p></div>`;
  const shown = photos.slice(0, IN_GRID);
  return html`<div class="home-photos n${shown.length}">${shown.map(
    ({ url, small, caption }, at) =>
      html`<a href="#photo-${at + 1}" aria-label="${`Photo ${at + 1} of ${photos.length}${caption === null ? '' : `: ${caption}`}`}"><img src="${at === 0 ? url : small}"${sized(small, at === 0 ? LARGE : SMALL)} alt="" width="1200" height="800"${
        at === 0 ? FIRST : LAZY
      } referrerpolicy="no-referrer"></a>`,
  )}<a class="btn all" href="#photos">${photos.length === 1 ? 'Enlarge' : `All ${photos.length} photos`}</a></div>`;
}

/** How wide photos are on the page. */
const LARGE = '(max-width:760px) 100vw, 600px';
const SMALL = '(max-width:760px) 25vw, 300px';
const WHOLE = '(max-width:1240px) 100vw, 1200px';

/** The sizes of a photo that this service makes smaller. */
function sized(small: string, width: string): Html | null {
  const sizes = pictureSizes(small);
  return sizes === null ? null : html` srcset="${sizes}" sizes="${width}"`;
}

const FIRST = html` fetchpriority="high"`;
const LAZY = html` loading="lazy"`;

/** All photos over the page, once their address is the page's target; a script makes a dialog of it. */
export function lightBox(photos: readonly Photo[], title: string): Html | null {
  if (photos.length === 0) return null;
  const figures = photos.map(
    ({ url, small, caption }, at) =>
      html`<figure id="photo-${at + 1}"><img src="${url}"${sized(small, WHOLE)} data-small="${small}" alt="${
        caption ?? `Photo ${at + 1} of ${title}`
      }" width="1200" height="800" loading="lazy" referrerpolicy="no-referrer"><figcaption>${at + 1} of ${photos.length}${
        caption === null ? null : ` · ${caption}`
      }</figcaption></figure>`,
  );
  return html`<section class="light-box" id="photos" aria-label="Photos of ${title}"><a class="btn close" href="#content">Close</a>
${figures}</section>`;
}

/** Origins of the pictures that other sites serve, for the policy of the page. */
export function photoOrigins(photos: readonly Photo[]): readonly string[] {
  const urls = photos.flatMap(({ url, small }) => [url, small]);
  return [...new Set(urls.flatMap((url) => (url.startsWith('https:') ? [new URL(url).origin] : [])))];
}
