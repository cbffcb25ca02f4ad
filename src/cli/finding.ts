// Finding of `freehold doctor`: what was looked at, how it is, and what to do.

export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; null when nothing is to be done. */
  readonly remedy: string | null;
}

export function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, remedy: null };
}

export function warn(name: string, detail: string, remedy: string): Finding {
  return { name, state: 'warn', detail, remedy };
}

export function fail(name: string, detail: string, remedy: string): Finding {
  return { name, state: 'fail', detail, remedy };
}

/** The message of an error, with that of its cause. */
export function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
