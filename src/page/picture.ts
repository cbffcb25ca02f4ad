// Sources of pictures that a page may load: those of this service, and https ones of others.

/**
 * Below this service relative to its root, so that it works under any host name; elsewhere https without credentials; null for
 * anything else. `publicUrl` has no slash at its end.
 */
export function pictureSource(url: string | null, publicUrl: string): string | null {
  if (url === null) return null;
  if (url.startsWith(`${publicUrl}/`)) return url.slice(publicUrl.length + 1);
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' && parsed.username === '' ? parsed.href : null;
}

const SIZED = /^(.*\bv1\/photos\/[^/]+\/[0-9a-f]{32}\/)320\.webp$/;
const WIDTHS = [320, 640, 1280];

/** The sizes of a picture that this service makes smaller, for `srcset`; null: the picture has only this one. */
export function pictureSizes(source: string): string | null {
  const [, base] = SIZED.exec(source) ?? [];
  return base === undefined ? null : WIDTHS.map((width) => `${base}${width}.webp ${width}w`).join(', ');
}
