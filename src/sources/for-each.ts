// Work for each source of this process: started when the source is there, ended when it is not, or is another one.

import type { Source } from './source.ts';
import type { ActiveSource, SourceSet } from './source-set.ts';

interface Job {
  stop(): Promise<void>;
}

export interface WorkForEach<Running extends Job> {
  readonly start: (source: Source, active: ActiveSource) => Running;
  /** Called when something about a source has changed whose work goes on. */
  readonly update?: (running: Running, active: ActiveSource) => void;
  /** Whether a source that is paused is worked for all the same; default: no. */
  readonly whilePaused?: boolean;
}

export interface RunningForEach<Running extends Job> extends Job {
  /** Null: there is none for the source. */
  get(id: string): Running | null;
}

/** A source that fails, or whose work ends slowly, delays no other. */
export function startForEach<Running extends Job>(
  sources: Pick<SourceSet, 'list' | 'get' | 'onChange'>,
  { start, update, whilePaused = false }: WorkForEach<Running>,
): RunningForEach<Running> {
  const jobs = new Map<string, { readonly source: Source; readonly running: Running }>();
  const ending = new Set<Promise<void>>();
  const end = (id: string, running: Running): void => {
    jobs.delete(id);
    const ended = running.stop().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const sourceOf = (active: ActiveSource | null): Source | null =>
    active === null || (active.control.pausedAt !== null && !whilePaused) ? null : active.source;
  const follow = (): void => {
    for (const [id, { source, running }] of jobs) if (sourceOf(sources.get(id)) !== source) end(id, running);
    for (const active of sources.list()) {
      const job = jobs.get(active.id);
      const source = sourceOf(active);
      if (job !== undefined) update?.(job.running, active);
      else if (source !== null) jobs.set(active.id, { source, running: start(source, active) });
    }
  };
  const cancel = sources.onChange(follow);
  follow();
  return {
    get: (id) => jobs.get(id)?.running ?? null,
    async stop() {
      cancel();
      for (const [id, { running }] of jobs) end(id, running);
      await Promise.all(ending);
    },
  };
}
