// Proof of what Polar and Stripe cannot do at their worst: lock out a key in use, or keep a revoked one alive for more than 600 s.

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, test } from 'node:test';
import {
  type PayingService,
  type PolarPayingShop,
  type StripePayingShop,
  startPayingService,
} from '../support/billing/paying-service.ts';
import { PAYMENT_FAULTS, type PaymentFault, setPaymentFault } from '../support/billing/payment-faults.ts';

type Paying = PayingService<PolarPayingShop | StripePayingShop>;

const KEYS = 80;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
after(() => agent.destroy());

/** Keys in use at one service, with what is known of them here. */
class Customers {
  readonly #paying: Paying;
  #keys: readonly string[] = [];
  /** When keys ended, by the monotonic clock. */
  readonly #endedAt = new Map<string, number>();
  /** Answers that must not be. */
  readonly wrong: string[] = [];
  /** Times that a key was let in after its end. */
  lettings = 0;

  constructor(paying: Paying) {
    this.#paying = paying;
  }

  /** Buys as many keys as there should be. Those that have ended are used no more: a refusal waits for its renewal. */
  async buyKeys(): Promise<void> {
    const keys = this.#keys.filter((key) => !this.#endedAt.has(key));
    while (keys.length < KEYS) keys.push(await this.#paying.shop.buy('pro'));
    this.#endedAt.clear();
    this.#keys = keys;
  }

  /** Monotonic milliseconds. */
  get now(): number {
    return this.#paying.service.clock.monotonic();
  }

  pass(milliseconds: number): Promise<void> {
    return this.#paying.pass(milliseconds);
  }

  setFault(fault: PaymentFault | null): void {
    setPaymentFault(this.#paying.shop, this.#paying.service.clock, fault);
  }

  /** Ends the subscription of one more key at the payment service, which sends no event. */
  endOne(): void {
    const key = this.#keys[this.#endedAt.size] ?? '';
    this.#paying.shop.cancel(key);
    this.#endedAt.set(key, this.now);
  }

  /** Asks with every key, and gives the statuses of those in force, each once. No time passes. */
  async askAll(): Promise<readonly number[]> {
    const answers = await Promise.all(this.#keys.map((key) => this.#ask(key)));
    return [...new Set(answers.filter((_, at) => !this.#endedAt.has(this.#keys[at] ?? '')))];
  }

  /** The same, while time passes for those that wait for the payment service. */
  async askPatiently(): Promise<readonly number[]> {
    const answers = this.askAll();
    const done = { yet: false };
    void answers.finally(() => (done.yet = true)).catch(() => {});
    for (let turn = 1; !done.yet; turn++) {
      if (turn % 20 === 0) await this.pass(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return answers;
  }

  /** Asks until every answer is as the payment service says. */
  async recover(): Promise<void> {
    for (let round = 0; ; round++) {
      const statuses = await Promise.all(this.#keys.map((key) => this.#ask(key)));
      const expected = this.#keys.map((key) => (this.#endedAt.has(key) ? 401 : 200));
      if (statuses.every((status, at) => status === expected[at])) return;
      assert.ok(round < 20, [...new Set(statuses)].join());
      await this.pass(5_000);
    }
  }

  async #ask(key: string): Promise<number> {
    const ended = this.#endedAt.get(key);
    const since = ended === undefined ? null : this.now - ended;
    const status = await statusOf(this.#paying.service.url, key, this.#keys.indexOf(key));
    if (![200, 503, ...(since === null ? [] : [401])].includes(status)) this.wrong.push(`${status}`);
    if (since !== null && status === 200) {
      this.lettings++;
      if (since >= 600_000) this.wrong.push(`let in ${since} ms after its end`);
    }
    return status;
  }
}

/** Each key has an address of its own, as customers have. */
function statusOf(url: string, key: string, number: number): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': `10.0.0.${number}` };
  return new Promise((resolve, reject) => {
    request(`${url}/v1/usage`, { agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}

for (const provider of ['polar', 'stripe'] as const) {
  const paying = await startPayingService({ after }, provider, { TRUSTED_PROXIES: '127.0.0.1' });
  const customers = new Customers(paying as Paying);

  for (const [what, begin] of Object.entries(PAYMENT_FAULTS)) {
    test(`while ${provider} ${what}, none of ${KEYS} keys in use is refused wrongly, and none outlives its end by 600 s`, async () => {
      await customers.pass(600_000);
      await customers.buyKeys();
      await customers.recover();
      const begun = customers.now;
      const { lettings } = customers;
      // Right after it was asked about: the worst moment.
      customers.endOne();
      customers.setFault(begin());
      const passTo = (moment: number) => customers.pass(begun + moment - customers.now);
      await passTo(240_000);
      customers.endOne();
      // The database's clock goes on meanwhile and makes rows older: the last moment leaves it half a minute.
      for (const moment of [479_000, 570_000]) {
        await passTo(moment);
        assert.deepEqual(await customers.askAll(), [200], `${moment} ms`);
      }
      await passTo(600_000);
      await customers.askPatiently();
      customers.setFault(null);
      await customers.pass(120_000);
      await customers.recover();
      assert.deepEqual([...new Set(customers.wrong)], []);
      assert.ok(customers.lettings > lettings, 'a key that had ended was still in use');
    });
  }
}
