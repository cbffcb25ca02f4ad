// What agents asked, printed for `freehold usage --queries`.

import { csvLine, harmlessText } from '../http/output/csv.ts';
import { visibleText } from '../page/html.ts';
import type { RecordedQuery } from '../usage/query-store.ts';
import { printJson, printTable } from './output.ts';

const COLUMNS = ['at', 'account', 'client', 'address', 'tool', 'outcome', 'arguments'] as const;
/** Characters of arguments in a table. */
const MAX_SHOWN = 120;

export function printQueries(
  queries: readonly RecordedQuery[],
  { csv, json }: { readonly csv?: true; readonly json?: true },
): void {
  if (json) printJson({ queries });
  else if (csv) {
    const rows = queries.map((query) => csvLine(COLUMNS.map((name) => harmlessText(query[name]))));
    process.stdout.write([csvLine(COLUMNS), ...rows].join(''));
  } else
    printTable(
      COLUMNS,
      queries.map((query) => COLUMNS.map((name) => (visibleText(query[name]) || '–').slice(0, MAX_SHOWN))),
      'Nothing is recorded of what agents asked in these days. AUDIT_QUERIES=on records it from then on.',
    );
}
