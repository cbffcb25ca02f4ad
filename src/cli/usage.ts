// Command `freehold usage`: what was asked and shown by which way, for operators.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { csvLine } from '../http/output/csv.ts';
import { systemClock } from '../lib/clock.ts';
import { nearest } from '../lib/nearest.ts';
import { Problem } from '../lib/problem.ts';
import { findUsage, GROUPS, type UsageGroup, type UsageSum } from '../usage/history-store.ts';
import { findQueries } from '../usage/query-store.ts';
import { readQuestion } from '../usage/question.ts';
import { publicSum } from '../usage/routes.ts';
import { withDatabase } from './database.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { examples, JSON_OPTION, momentArgument } from './options.ts';
import { count, print, printJson, printTable } from './output.ts';
import { printQueries } from './usage-queries.ts';

interface Flags {
  readonly from?: Date;
  readonly to?: Date;
  readonly by?: string;
  readonly account?: string;
  readonly queries?: true;
  readonly csv?: true;
  readonly json?: true;
}

/** Sums of a command, which a spreadsheet still opens. */
const MAX_SUMS = 1_000_000;
const MAX_QUERIES = 10_000;

export function addUsage(program: Command): void {
  program
    .command('usage')
    .summary('show what was asked and shown')
    .description(
      'Sums up the record of use: requests, the listings that answers showed by source, and bytes, of the last 30 days. Processes write it\n' +
        `once a minute. --by takes up to three of ${GROUPS.join(', ')}. Days are kept for 400 days, hours for 90.`,
    )
    .option('--from <date>', 'first day, in UTC', momentArgument)
    .option('--to <date>', 'last day, in UTC', momentArgument)
    .option('--by <names>', 'what sums are grouped by, separated by commas', 'channel,source')
    .option('--account <account>', 'of one account alone, such as sub:ID or anonymous')
    .option('--queries', 'list what agents asked instead, the newest first')
    .option('--csv', 'print CSV')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold usage',
        'freehold usage --by month,source,channel --from 2027-01-01 --csv',
        'freehold usage --by account,operation --json',
        'freehold usage --queries --from 2027-01-31',
      ),
    )
    .action(async ({ from, to, by = '', account, queries, csv, json }: Flags) => {
      const groupBy = groupsOf(by);
      const question = readDays({ from: dayText(from), to: dayText(to), groupBy });
      const output = { ...(csv && { csv }), ...(json && { json }) };
      if (queries) {
        const range = { ...question, account: account ?? null, limit: MAX_QUERIES };
        const asked = await withDatabase(readConfig(), (database) =>
          database.read((sql) => findQueries(sql, range)),
        );
        return printQueries(asked, output);
      }
      const sums = await withDatabase(readConfig(), (database) =>
        database.read((sql) =>
          findUsage(sql, {
            ...question,
            accounts: account === undefined ? null : [account],
            limit: MAX_SUMS,
          }),
        ),
      );
      const rows = sums.map((sum) => publicSum(sum, groupBy));
      if (json) return printJson({ from: question.from, to: question.to, usage: rows });
      if (csv) return printCsv(rows, groupBy);
      printSums(sums, rows, groupBy);
    });
}

const dayText = (moment: Date | undefined): string | undefined => moment?.toISOString().slice(0, 10);

function groupsOf(text: string): UsageGroup[] {
  return text.split(',').map((name) => {
    const group = GROUPS.find((each) => each === name.trim());
    if (group !== undefined) return group;
    const meant = nearest(name, GROUPS);
    const hint = meant === undefined ? `There are ${GROUPS.join(', ')}.` : `Did you mean ${meant}?`;
    throw new CommandFailure(`Nothing is grouped by ${name}. ${hint}`, EXIT.usage);
  });
}

/** The rules of the API, whose parameters have other names here. */
function readDays(query: Parameters<typeof readQuestion>[0]) {
  try {
    return readQuestion(query, systemClock.now());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new CommandFailure(
      error.message.replaceAll('groupBy', '--by').replaceAll('from:', '--from:'),
      EXIT.usage,
    );
  }
}

type Row = ReturnType<typeof publicSum>;

const namesOf = (groups: readonly UsageGroup[]): readonly string[] => [
  ...groups.map((group) => (group === 'hour' || group === 'day' || group === 'month' ? 'start' : group)),
  'requests',
  'listingsShown',
  'bytes',
];

const cellOf = (row: Row, name: string): string => String((row as Record<string, unknown>)[name] ?? '');

function printCsv(rows: readonly Row[], groups: readonly UsageGroup[]): void {
  const names = namesOf(groups);
  const lines = [
    csvLine(names),
    ...rows.map((row) => csvLine(names.map((name) => cellOf(row, name) || null))),
  ];
  process.stdout.write(lines.join(''));
}

function printSums(sums: readonly UsageSum[], rows: readonly Row[], groups: readonly UsageGroup[]): void {
  const names = namesOf(groups);
  const figures = ['requests', 'listings', 'bytes'] as const;
  const widest = figures.map((name) => Math.max(0, ...sums.map((sum) => count(sum[name]).length)));
  printTable(
    [...names.slice(0, -3), 'requests', 'listings', 'bytes'],
    rows.map((row, at) => [
      ...names.slice(0, -3).map((name) => cellOf(row, name) || '–'),
      ...figures.map((name, column) => count(sums[at]?.[name] ?? 0).padStart(widest[column] ?? 0)),
    ]),
    'Nothing was used in these days.',
  );
  if (groups.includes('source'))
    print(process.stdout, '\nListings are of a source; requests and bytes stand where there is none (–).');
}
