// Pages of a purchase over HTTP, with a payment service that tests steer.

import type { TestContext } from 'node:test';
import { TIERS } from '../../../src/access/tiers/tiers.ts';
import { type BillingPageOptions, billingPageRoutes } from '../../../src/account/plans/routes.ts';
import { textOf } from '../browser/page-text.ts';
import { manualClock } from '../service/clock.ts';
import { serveRoutes, type TestRoute } from '../service/http-server.ts';
import { memoryService } from './memory-service.ts';

const PUBLIC_URL = 'https://api.example';

export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** What a reader sees. */
  readonly text: string;
}

/** Serves the pages. `service: null`: nothing is sold here. */
export async function serveBillingPages(t: TestContext, options: Partial<BillingPageOptions> = {}) {
  const clock = manualClock();
  const payments = memoryService('stripe');
  payments.payment = { ...payments.payment, expiresAt: clock.now() + 86_400_000 };
  const reported: unknown[] = [];
  const routes = billingPageRoutes({
    service: payments,
    publicUrl: PUBLIC_URL,
    tiers: TIERS,
    clock,
    portalUrl: null,
    report: (error) => void reported.push(error),
    ...options,
  });
  const web = await serveRoutes(t, routes as unknown as readonly TestRoute[], {
    clock,
    publicUrl: PUBLIC_URL,
    trustedProxies: ['127.0.0.1'],
    describe: { title: 'Test', version: '1', tags: { Account: '.', Health: '.', Service: '.' } },
  });
  async function send(path: string, init: RequestInit = {}): Promise<PageAnswer> {
    const answer = await web.fetch(path, { redirect: 'manual', ...init });
    const html = await answer.text();
    return { status: answer.status, headers: answer.headers, html, text: textOf(html) };
  }
  return {
    /** How often the payment service was asked that. */
    countOf: (question: string) => payments.questions.filter((each) => each === question).length,
    clock,
    payments,
    reported,
    web,
    open: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    /** Sends the form of a price. */
    subscribe: (price: string, headers: Record<string, string> = {}) =>
      send('/billing/checkout', { method: 'POST', headers, body: new URLSearchParams({ price }) }),
  };
}
