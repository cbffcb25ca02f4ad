// JSON for PostgreSQL, which takes neither NUL characters nor lone surrogates.

/** JSON that PostgreSQL takes as text: without NUL characters and halves of surrogate pairs, which sources do send. */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_key, part) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '') : part,
  );
}
