// Who decides while several processes count limits together: the server of LIMITS_URL, each process by its share, or both. Pure rules.

/** See the table limits_state. */
export interface LimitsState {
  /** Grows with each loss. */
  readonly epoch: number;
  readonly phase: 'divided' | 'both' | 'shared';
  /** Among how many processes limits are divided. */
  readonly nodes: number;
}

/**
 * How far a process has come in its epoch. `divided`: it admits its share. `loaded`: that too, and all that it has admitted in the last
 * minute is in the server. `both`: the server must allow it besides. `shared`: the server alone decides.
 */
export type Step = 'divided' | 'loaded' | 'both' | 'shared';

/** What a process says of itself. */
export interface LimitsReport {
  readonly epoch: number;
  readonly step: Step;
  /** It has lost the server, or what the server had counted. */
  readonly isLost: boolean;
}

export interface SeenReport extends LimitsReport {
  /** Milliseconds since it was written. */
  readonly unseenMs: number;
}

/** Milliseconds after which a process that says nothing is gone: it divides no more, see `ruleOf`. */
export const GONE_AFTER = 10_000;
/** Milliseconds after which nothing counts any more that a process has admitted which is gone. */
export const FORGOTTEN_AFTER = GONE_AFTER + 60_000;

/**
 * The state that follows. A loss by one process makes all divide. They stop only when each has loaded what it admitted; a process
 * that ended without that is waited for until its last admission has left the window. While anybody may divide, the number of
 * shares never shrinks: a share that is given up cannot be given away, since what was admitted with it still counts.
 */
export function nextState(state: LimitsState, reports: readonly SeenReport[]): LimitsState {
  const alive = reports.filter(({ unseenMs }) => unseenMs < GONE_AFTER);
  const nodes = Math.max(1, state.phase === 'shared' ? 0 : state.nodes, alive.length);
  if (alive.some((report) => isLoss(state, report)))
    return { epoch: state.epoch + 1, phase: 'divided', nodes };
  const haveCome = (...steps: readonly Step[]): boolean =>
    alive.length > 0 && alive.every(({ epoch, step }) => epoch === state.epoch && steps.includes(step));
  const isMissed = reports.some(({ unseenMs }) => unseenMs >= GONE_AFTER && unseenMs < FORGOTTEN_AFTER);
  if (state.phase === 'divided' && !isMissed && haveCome('loaded', 'both', 'shared'))
    return { epoch: state.epoch, phase: 'both', nodes };
  if (state.phase === 'both' && haveCome('both', 'shared'))
    return { epoch: state.epoch, phase: 'shared', nodes };
  return { epoch: state.epoch, phase: state.phase, nodes };
}

/** A process that has not reached the server yet, while all divide anyway, loses nothing. */
function isLoss({ epoch, phase }: LimitsState, report: SeenReport): boolean {
  return report.isLost && report.epoch === epoch && (phase !== 'divided' || report.step !== 'divided');
}

/** What decides on a request in this process at this moment. */
export type Rule =
  | { readonly by: 'server' }
  | { readonly by: 'both'; readonly nodes: number }
  /** `isSent`: what is admitted is written into the server too. */
  | { readonly by: 'share'; readonly nodes: number; readonly isSent: boolean }
  /** Nothing is admitted, since nobody can say what the others admit. */
  | { readonly by: 'nobody' };

/** `shared`: exact over all processes; `divided`: each admits its share; `waiting`: this process admits nothing. */
export const LIMITS_MODES = ['shared', 'divided', 'waiting'] as const;
export type LimitsMode = (typeof LIMITS_MODES)[number];

/** What is reported of a rule. */
export function modeOf({ by }: Rule): LimitsMode {
  if (by === 'server' || by === 'both') return 'shared';
  return by === 'share' ? 'divided' : 'waiting';
}

export interface Position extends LimitsReport {
  /** As it was read last; null: never. */
  readonly state: LimitsState | null;
  /** Milliseconds since this process began the report that the others have seen last. */
  readonly silentMs: number;
  /**
   * Whether it may divide. One that started during a loss may not until the others have counted it for a minute; nor can it know what it
   * admitted under another name before.
   */
  readonly mayDivide: boolean;
}

/** Milliseconds of silence after which a process behaves as one that the others believe gone; less than GONE_AFTER. */
const SILENT_AFTER = 8_000;

/**
 * Any mixture of processes that divide and of those that ask both stays within all shares; any mixture of those that ask both and of
 * those that ask the server stays within what the server counts.
 */
export function ruleOf({ state, epoch, step, isLost, silentMs, mayDivide }: Position): Rule {
  if (state === null) return NOBODY;
  const isSilent = silentMs >= SILENT_AFTER;
  const isIn = !isLost && epoch === state.epoch && step !== 'divided';
  if (isIn && !isSilent && step === 'shared' && state.phase === 'shared') return { by: 'server' };
  if (isIn && state.phase === 'shared') return { by: 'both', nodes: state.nodes };
  if (!mayDivide) return NOBODY;
  if (isIn && (isSilent || state.phase === 'both')) return { by: 'both', nodes: state.nodes };
  return isSilent ? NOBODY : { by: 'share', nodes: state.nodes, isSent: isIn };
}

const NOBODY: Rule = { by: 'nobody' };

/** What one of so many processes may admit of a limit. */
export function shareOf(quota: number, nodes: number): number {
  return Math.min(quota, Math.max(1, Math.floor(quota / nodes)));
}
