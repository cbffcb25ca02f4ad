// Percent-encoding of addresses and forms.

/** The decoded text; null where an escape is not UTF-8. */
export function decodePercent(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** The same for a form or a query, where + is a space. */
export function decodeFormText(text: string): string | null {
  return decodePercent(text.replaceAll('+', ' '));
}
