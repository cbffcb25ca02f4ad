// Steps that people take on the page: the same functions, rules and limits as those of the API.

import type { Principal } from '../../access/tiers/tiers.ts';
import { Problem } from '../../lib/problem.ts';
import { pauseWatcher, resumeWatcher } from '../../watch/change-watcher.ts';
import type { WatcherOptions } from '../../watch/resolve-target.ts';
import { testWebhooks } from '../../watch/webhook-routes.ts';
import { redeliver } from '../../watch/webhooks/delivery-routes.ts';
import type { Notice } from './elements.ts';

export const STEPS = ['pause', 'resume', 'test', 'redeliver'] as const;
type StepName = (typeof STEPS)[number];

/** A step's field holds the id of what it is about. */
export type StepFields = { readonly [name in StepName]?: string } & {
  /** The watcher whose page is shown. */
  readonly watcher?: string;
};

export interface StepOutcome {
  /** Status of the page that shows it. */
  readonly status: number;
  /** Null: no step was taken. */
  readonly notice: Notice | null;
  readonly error: Problem | null;
}

export interface StepContext extends WatcherOptions {
  readonly caller: Principal;
}

const NOTHING: StepOutcome = { status: 200, notice: null, error: null };

/** Takes the step that a form names. A refusal is an outcome; throws where the service fails. */
export async function takeStep(context: StepContext, fields: StepFields): Promise<StepOutcome> {
  const named = STEPS.filter((step) => fields[step] !== undefined);
  const [step] = named;
  if (step === undefined) return NOTHING;
  if (named.length > 1)
    throw new Problem('INVALID_BODY', `The form names the steps ${named.join(' and ')}: send one.`);
  try {
    return {
      status: 200,
      notice: { text: await TAKEN[step](context, fields[step] ?? '', fields.watcher ?? ''), isFault: false },
      error: null,
    };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'DATABASE_UNAVAILABLE' || error.status === 500)
      throw error;
    return { status: error.status, notice: { text: refusalOf(error), isFault: true }, error };
  }
}

const IS_ID = /^[\w-]{1,60}$/;

const requestOf = ({ caller }: StepContext, id: string) => ({
  id: IS_ID.test(id) ? id : '',
  caller,
  headers: {},
});

/** @param watcher whose page the form was on */
type TakeStep = (context: StepContext, id: string, watcher: string) => Promise<string>;

/** Each step, and the sentence that says what it has done. */
const TAKEN: Readonly<Record<StepName, TakeStep>> = {
  async pause(context, id) {
    await pauseWatcher(context, requestOf(context, id));
    return 'Paused. It sends nothing until you resume it.';
  },
  async resume(context, id) {
    await resumeWatcher(context, requestOf(context, id));
    return 'Resumed. You are notified of changes from now on.';
  },
  async test(context, id) {
    await testWebhooks(context, requestOf(context, id));
    return 'A test is on its way. The response appears under Deliveries within a few seconds.';
  },
  async redeliver(context, delivery, watcherId) {
    await redeliver(context, { caller: context.caller, watcherId, delivery });
    return 'It is sent again. The response appears under Deliveries within a few seconds.';
  },
};

function refusalOf({ code, message }: Problem): string {
  return code === 'WATCHER_NOT_FOUND'
    ? 'You have no such watcher. It may have been deleted meanwhile.'
    : message;
}
