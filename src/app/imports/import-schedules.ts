// Wiring of scheduled imports: what their runs may reach, and the thread in which each is made.

import { type Config, readVariables } from '../../config.ts';
import { runSchedule } from '../../import/schedules/run-schedule.ts';
import { type RunTask, type ScheduleTarget, threadRunner } from '../../import/schedules/schedule-thread.ts';
import { type Scheduler, type SchedulerOptions, startScheduler } from '../../import/schedules/scheduler.ts';
import { databasePorts } from '../webhooks.ts';
import { importAccess } from './import-access.ts';

export interface ImportSchedulesOptions
  extends Omit<SchedulerOptions, 'run' | 'readVariables' | 'dataDirectory'> {
  readonly config: Pick<Config, 'importAllow' | 'databaseUrl' | 'port' | 'dataDirectory'> & {
    readonly media: Pick<Config['media'], 'mode'>;
  };
  /** Where a thread finds the database; null: imports run in this thread. */
  readonly target: ScheduleTarget | null;
}

export function startImportSchedules(options: ImportSchedulesOptions): Scheduler {
  const { config, target, clock } = options;
  const network = {
    allow: config.importAllow,
    ownPorts: [config.port, ...databasePorts(config.databaseUrl)],
    mediaMode: config.media.mode,
  };
  return startScheduler({
    ...options,
    run: target === null ? inProcess(options) : threadRunner(target, network, clock),
    readVariables,
    dataDirectory: config.dataDirectory,
  });
}

function inProcess({ config, database, clock }: ImportSchedulesOptions): RunTask {
  return async (task, signal) => {
    const access = importAccess(config, clock);
    try {
      return await runSchedule({ database, access, clock, signal, mediaMode: config.media.mode }, task);
    } finally {
      await access.close();
    }
  };
}
