// Synchronization: fetches every subscription from the payment service now, and stores what it says.

import type { PaymentService, ProviderSubscription } from './payment-service.ts';

export interface SyncProgress {
  /** Subscriptions whose state was stored. */
  readonly done: number;
  /** Subscriptions that were remembered before, of which most are there again. */
  readonly known: number;
}

export interface SyncOptions {
  readonly service: Pick<PaymentService, 'listAll'>;
  /** Stores what was said in answer to one question about everything. */
  readonly save: (page: readonly ProviderSubscription[]) => Promise<unknown>;
  /** Asks about one. */
  readonly renew: (reference: string) => Promise<unknown>;
  /** Subscriptions that are remembered. */
  readonly references: readonly string[];
  readonly onProgress: (progress: SyncProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads everything in as few calls as there can be, and then asks singly about what was remembered and not among it. Returns how
 * many were stored. Throws ProviderUnavailable where it cannot go on: what was stored until then stays.
 */
export async function syncSubscriptions(options: SyncOptions): Promise<number> {
  const { service, save, renew, references, onProgress, signal } = options;
  const missing = new Set(references);
  const progress = { done: 0, known: references.length };
  const advance = (by: number): void => {
    progress.done += by;
    onProgress({ ...progress });
  };
  await service.listAll(async (page) => {
    await save(page);
    for (const { reference } of page) missing.delete(reference);
    advance(page.length);
  }, signal);
  for (const reference of missing) {
    await renew(reference);
    advance(1);
  }
  return progress.done;
}
