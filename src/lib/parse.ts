// Parsers of text from outside: JSON, percent-encoding and time-zone names.

/** The value of a JSON text, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Decodes percent-encoding; null if an escape is not UTF-8. */
export function decodePercent(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Decodes a name or value of a form or query, where + is a space; null if an escape is not UTF-8. */
export function decodeFormText(text: string): string | null {
  return decodePercent(text.replaceAll('+', ' '));
}

/**
 * The IANA name of a time zone, `Asia/Kolkata` for `asia/kolkata`; null if there is none. Former names are valid. Offsets such
 * as +05:30 are not: databases read their sign the other way round.
 */
export function parseTimeZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
