// Lines and texts of CSV (RFC 4180).

/** A line of cells, each quoted where it has to be. Null is an empty cell, and an empty text is `""`, as PostgreSQL reads them. */
export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(quoted).join()}\r\n`;

/** A text as a cell: spreadsheets run one that begins like a formula; an apostrophe before it makes it a text. */
export const harmlessText = (text: string): string =>
  /^[=@\t\r]|^[+-](?![\d\s().-]*$)/.test(text) ? `'${text}` : text;

const quoted = (text: string | null): string => {
  if (text === null) return '';
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
