// Check of `freehold doctor` of scheduled imports: which of them failed last time.

import { failuresText } from '../../import/schedules/schedule.ts';
import { listSchedules } from '../../import/schedules/schedule-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type Finding, fail, ok } from './doctor-checks.ts';

const NAME = 'scheduled imports';

export async function checkImports(database: Database): Promise<Finding[]> {
  const schedules = await database.read(listSchedules);
  if (schedules.length === 0) return [];
  const failures = failuresText(schedules);
  if (failures.length === 0) return [ok(NAME, `${schedules.length}, the last run of each is good`)];
  return failures.map((text) =>
    fail(NAME, text, '`freehold import schedules list` shows all; the next run comes by itself.'),
  );
}
