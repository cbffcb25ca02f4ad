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
