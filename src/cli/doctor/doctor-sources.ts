// Checks of `freehold doctor` on the servers of all sources: each is connected to, and one that fails hides no other.

import type { Config } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { nullIfUnavailable } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { budgetLines } from '../../sources/budget/budget-text.ts';
import { openConnection } from '../../sources/budget/connection.ts';
import { findControls } from '../../sources/control-store.ts';
import { LiveError } from '../../sources/source.ts';
import { CommandFailure } from '../failure.ts';
import { findTargets, ownTarget, type Target, withUsableDatabase } from '../sources/target.ts';
import { FAULT_REMEDIES, type Finding, fail, messageOf, ok } from './doctor-checks.ts';

/** The source of the settings, and those that are set up in the database. */
export async function checkSource(config: Config): Promise<Finding[]> {
  const { source } = config;
  const own =
    source.kind === 'none'
      ? [ok('source', 'none in the settings: listings come from imports, pushes and sources that are set up')]
      : source.kind === 'sample'
        ? [ok('source', 'the sample market, started with the service')]
        : [];
  const servers = await withUsableDatabase(config, async (database) => {
    const targets = await findTargets(config, database).catch(() => [ownTarget(config) ?? []].flat());
    const controls =
      database === null ? null : await nullIfUnavailable(database.read(findControls)).catch(() => null);
    return Promise.all(
      targets.map(async (target) => {
        const name = target.secrets === ownTarget(config)?.secrets ? 'source' : `source ${target.id}`;
        if (controls?.get(target.id)?.pausedAt) return [ok(name, 'paused, and not tried')];
        return [await checkServer(target, name, database), ...(await checkBudget(target, name, database))];
      }),
    );
  });
  return [...own, ...servers.flat()];
}

async function checkServer({ url, open }: Target, name: string, database: Database | null): Promise<Finding> {
  try {
    const source = await open({ database, clock: systemClock });
    try {
      await source.check(new AbortController().signal); // It has a deadline of its own.
    } finally {
      await source.close();
    }
    return ok(name, `${url} answers`);
  } catch (error) {
    if (error instanceof CommandFailure)
      return fail(name, error.message, 'Set it here as for the service, or run this where the service runs.');
    const fault = error instanceof LiveError ? error.fault : null;
    const remedy = fault === null ? 'Check the address and the credentials.' : FAULT_REMEDIES[fault];
    return fail(name, `${url}: ${messageOf(error)}`, remedy);
  }
}

/** Nothing where no limit is known and nothing is held back. */
async function checkBudget(target: Target, name: string, database: Database | null): Promise<Finding[]> {
  if (database === null) return [];
  const { budget } = openConnection({ ...target, database, clock: systemClock });
  const report = await budget.read().catch(() => null);
  if (report === null) return [];
  const lines = budgetLines(report);
  if (lines.length === 0) return [];
  const label = `budget of ${name}`;
  if (report.stopped === null) return [ok(label, lines.join('; '))];
  const remedy =
    report.suspendedAt === null
      ? 'Find out what else uses the credential. Reading goes on by itself.'
      : 'Ask the support of the vendor to lift it, after you have found out what exceeded the limits.';
  return [fail(label, lines.join('; '), remedy)];
}
