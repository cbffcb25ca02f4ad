// Command `freehold doctor`: checks everything that the service needs, with a remedy for each fault.

import type { Command } from 'commander';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { redact } from '../../lib/log.ts';
import { EXIT } from '../failure.ts';
import { examples } from '../options.ts';
import { emphasis, print, printJson } from '../output.ts';
import {
  checkBasemap,
  checkDataDirectory,
  checkDisk,
  checkMount,
  checkNode,
  checkPort,
  checkPublicUrl,
  checkTiersFile,
  type Finding,
  fail,
  ok,
} from './doctor-checks.ts';
import { checkComparison } from './doctor-compare.ts';
import { checkDatabase } from './doctor-database.ts';
import { checkLimits } from './doctor-limits.ts';
import { checkPayments } from './doctor-payments.ts';
import { checkPhotos } from './doctor-photos.ts';
import { checkSource } from './doctor-sources.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check the installation')
    .description(
      'Checks Node, the configuration (misspelt settings included), the tiers file, the data directory, its disk and\n' +
        'mount, the folder of copied photos, the port, the database, the memory for searches, the watchers, the server of LIMITS_URL, the source, and the payment service with its events. Changes nothing.\n' +
        'Works while the service runs. Exits with code 1 if a check fails; warnings do not count.',
    )
    .option('--compare', 'answer a hundred random searches from memory and by PostgreSQL, and compare them')
    .option('--json', 'print the results as JSON')
    .addHelpText('after', examples('freehold doctor', 'DATABASE_URL=postgres://… freehold doctor --json'))
    .action(async ({ json, compare = false }: { json?: true; compare?: boolean }) => {
      const findings = (await examine(compare)).map((finding) => ({
        ...finding,
        detail: redact(finding.detail),
      }));
      const healthy = findings.every(({ state }) => state !== 'fail');
      if (json) printJson({ ok: healthy, findings });
      else print(process.stdout, findings.map(findingText).join('\n'));
      if (!healthy) process.exitCode = EXIT.failed;
    });
}

async function examine(compare: boolean): Promise<Finding[]> {
  const node = checkNode();
  const { config, findings } = readConfiguration();
  if (config === null) return [node, ...findings];
  const machine = [
    checkPublicUrl,
    checkTiersFile,
    checkBasemap,
    checkDataDirectory,
    checkDisk,
    checkMount,
    checkPhotos,
    checkPort,
  ];
  const found: Finding[] = [node, ...findings];
  for (const check of [...machine, checkDatabase, checkLimits, checkSource, checkPayments])
    found.push(...[await check(config)].flat());
  if (compare) found.push(await checkComparison(config));
  return found;
}

function readConfiguration(): { config: Config | null; findings: Finding[] } {
  const name = 'configuration';
  try {
    const config = readConfig();
    return { config, findings: [ok(name, 'sound')] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'Correct the environment or .env.';
    const findings = error.faults.map((detail) => fail(name, detail, remedy));
    return { config: null, findings };
  }
}

const MARKS = { ok: 'good', warn: 'warning', fail: 'error' } as const;

function findingText({ name, state, detail, remedy }: Finding): string {
  const line = `${emphasis(MARKS[state], state.padEnd(4))}  ${name.padEnd(14)}  ${detail}`;
  return remedy === null ? line : `${line}\n${' '.repeat(22)}${remedy}`;
}
