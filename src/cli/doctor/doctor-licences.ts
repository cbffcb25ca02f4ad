// Check of `freehold doctor` of what sources permit: channels that show nothing of a source, and why.

import { CHANNELS } from '../../access/tiers/reach.ts';
import { findBlocks, findLicensedSources, findOutOfLine, findTerms } from '../../licence/licence-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type Finding, ok, warn } from './doctor-checks.ts';

/** Nothing of sources that are open everywhere. */
export async function checkLicences(database: Database): Promise<Finding[]> {
  return database.read(async (sql) => {
    const findings: Finding[] = [];
    for (const { source } of await findOutOfLine(sql, null))
      findings.push(
        warn(
          `licence of ${source}`,
          'shown nowhere until its stored listings keep to what it hides and requires',
          'The service writes them again, a minute after the licence was changed: see that it runs.',
        ),
      );
    for (const source of await findLicensedSources(sql)) {
      const name = `licence of ${source}`;
      const blocked = await findBlocks(sql, source);
      if (blocked.length > 0)
        findings.push(
          warn(
            name,
            blocked.includes('all') ? 'every channel is blocked' : `blocked: ${blocked.join(', ')}`,
            `\`freehold sources unblock ${source}\` ends it.`,
          ),
        );
      const terms = await findTerms(sql, source);
      const off = CHANNELS.filter((channel) => terms?.channels[channel] === 'off');
      if (off.length > 0)
        findings.push(
          ok(
            name,
            `shown to nobody by ${off.join(', ')}: \`licence\` of the source says so, see docs/licences.md`,
          ),
        );
    }
    return findings;
  });
}
