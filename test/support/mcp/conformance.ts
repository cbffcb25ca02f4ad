// Results of the official conformance suite, and how they stand against a baseline of checks that are known not to pass.

import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The suite's program. */
export const CONFORMANCE_SUITE = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'),
);

export interface Finding {
  /** Empty: the suite ran without scenarios. */
  readonly scenario: string;
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** Reads what the suite wrote to its output folder, one folder below it for each scenario. */
export async function readFindings(folder: string): Promise<readonly Finding[]> {
  const files = await readdir(folder, { recursive: true });
  const results = files.filter((name) => basename(name) === 'checks.json');
  const lists = await Promise.all(
    results.map(async (name) => {
      const [, scenario = ''] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(basename(dirname(name))) ?? [];
      const findings = JSON.parse(await readFile(join(folder, name), 'utf8')) as Omit<Finding, 'scenario'>[];
      return findings.map((finding) => ({ ...finding, scenario }));
    }),
  );
  return lists.flat();
}

/** Checks that do not pass for one reason. */
export interface BaselineEntry {
  readonly reason: string;
  /** Revisions of the protocol at which these checks are run and do not pass. */
  readonly revisions: readonly string[];
  /** `scenario/check`. */
  readonly checks: readonly string[];
}

export interface Comparison {
  /** Checks that do not pass, and are not in the baseline: with what the suite said. */
  readonly unexpected: readonly string[];
  /** Checks of the baseline that pass, or no longer exist. */
  readonly outdated: readonly string[];
}

/** Notes of the suite are neither passed nor failed. */
const PASSED = new Set(['SUCCESS', 'INFO']);

export function compareWithBaseline(
  findings: readonly Finding[],
  baseline: readonly BaselineEntry[],
  revision: string,
): Comparison {
  const failing = new Map(
    findings
      .filter(({ status }) => !PASSED.has(status))
      .map(({ scenario, id, status, errorMessage = '' }) => [
        `${scenario}/${id}`,
        `${status} ${errorMessage}`.trim(),
      ]),
  );
  const known = new Set(
    baseline.filter(({ revisions }) => revisions.includes(revision)).flatMap(({ checks }) => checks),
  );
  return {
    unexpected: [...failing].filter(([check]) => !known.has(check)).map((entry) => entry.join(': ')),
    outdated: [...known].filter((check) => !failing.has(check)),
  };
}
