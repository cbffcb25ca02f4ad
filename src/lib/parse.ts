// Parsers of text from outside: JSON, also with large whole numbers as their digits, percent-encoding and time-zone names.

/** The value of a JSON text, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Sixteen digits or more where a value begins: without one, no number of the text is beyond 2^53. */
const MAY_HOLD_LARGE = /[:[,]\s*-?\d{16}/;
const LARGE = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** The value of a JSON text, in which each whole number beyond 2^53 is the text of its digits. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(MAY_HOLD_LARGE.test(text) ? quoteLargeNumbers(text) : text);
}

/** A reviver would take five times as long. */
function quoteLargeNumbers(text: string): string {
  let quoted = '';
  let at = 0;
  for (;;) {
    const opening = text.indexOf('"', at);
    const between = text.slice(at, opening === -1 ? text.length : opening);
    quoted += between.length < 16 ? between : between.replace(LARGE, quoteUnsafe);
    if (opening === -1) return quoted;
    at = endOfString(text, opening);
    quoted += text.slice(opening, at);
  }
}

const quoteUnsafe = (digits: string): string =>
  Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;

/** The position after the quote that closes a string. */
function endOfString(text: string, opening: number): number {
  let at = opening + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    at = quote + 1;
    if (backslashes % 2 === 0) return at;
  }
}

/** A file's text without the byte-order mark that some editors write before it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
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
