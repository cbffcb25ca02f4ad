// Forms of a file of rejected records: what it is written as, so that it can be imported like the file they come from.

/** A whole file is `head`, the records with `between` between them, and `tail`. */
export interface RejectedForm {
  readonly extension: string;
  readonly head: string;
  readonly between: string;
  readonly tail: string;
}

/** What every rejected record says besides itself: where it stood, and why it was not taken. */
export const REJECTED_COLUMNS = ['rejected_row', 'rejected_reason'] as const;

export const LINES: RejectedForm = { extension: 'ndjson', head: '', between: '', tail: '' };

export const ARRAY: RejectedForm = { extension: 'json', head: '[\n', between: ',\n', tail: '\n]\n' };

/** `members`: those of the collection besides its features. */
export function collectionForm(members: Readonly<Record<string, unknown>>): RejectedForm {
  const { type: _type, features: _features, ...rest } = members;
  const beginning = JSON.stringify({ type: 'FeatureCollection', ...rest }).slice(0, -1);
  return { extension: 'geojson', head: `${beginning},"features":[\n`, between: ',\n', tail: '\n]}\n' };
}

/** `marked`: begins with a byte-order mark, as the map names another encoding than UTF-8. */
export function csvForm(headings: readonly string[], delimiter: string, marked: boolean): RejectedForm {
  const names = headings.filter((name) => !isRejectedColumn(name));
  const heading = csvLine([...names, ...REJECTED_COLUMNS], delimiter);
  return { extension: 'csv', head: (marked ? '\ufeff' : '') + heading, between: '', tail: '' };
}

/** A row of CSV as wide as its heading; of a broken row that is wider the last field holds what is too much. */
export function csvRecord(
  headings: readonly string[],
  fields: readonly string[],
  delimiter: string,
  rejection: Rejection,
): string {
  const last = headings.length - 1;
  const own = headings.flatMap((name, at) => {
    if (isRejectedColumn(name)) return [];
    return [at === last ? fields.slice(at).join(delimiter) : (fields[at] ?? '')];
  });
  return csvLine([...own, String(rejection.place), rejection.reason], delimiter);
}

export interface Rejection {
  readonly place: number;
  readonly reason: string;
}

/** A value of JSON with the rejection in it: in the properties of a feature, else among its own members. */
export function jsonRecord(value: unknown, { place, reason }: Rejection): string {
  const rejection = { rejected_row: place, rejected_reason: reason };
  if (!isObject(value)) return JSON.stringify({ ...rejection, rejected_value: value });
  if (value.type !== 'Feature') return JSON.stringify({ ...rejection, ...value, ...rejection });
  const { type, id, properties, ...rest } = value;
  const own = isObject(properties) ? properties : {};
  return JSON.stringify({
    type,
    ...(id !== undefined && { id }),
    properties: { ...rejection, ...own, ...rejection },
    ...rest,
  });
}

/** Whether a file that begins so holds rejected records, of whatever form. */
export function isRejectedFile(beginning: string): boolean {
  const [heading = ''] = beginning.split(/[\r\n]/, 1);
  return (
    /(?:^|[^\w])rejected_row[^\w]rejected_reason$/.test(heading) || beginning.includes('"rejected_row":')
  );
}

const isRejectedColumn = (name: string): boolean => (REJECTED_COLUMNS as readonly string[]).includes(name);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function csvLine(fields: readonly string[], delimiter: string): string {
  const needsQuotes = (field: string): boolean =>
    /["\r\n]/.test(field) || field.includes(delimiter) || field.trim() !== field;
  const quoted = fields.map((field) => (needsQuotes(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return `${quoted.join(delimiter)}\n`;
}
