// Comparison of refresh rotation with a small model, over random histories.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { TIERS } from '../../../src/access/tiers/tiers.ts';
import { assertEvery } from '../../support/check/every.ts';
import { runs } from '../../support/check/runs.ts';
import { call, refresh, revoke, signIn } from '../../support/oauth/oauth.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const SECOND = 1_000;
const GRACE = 30 * SECOND;
const ACCESS = 3_600 * SECOND;
const REFRESH = 30 * 86_400 * SECOND;
/** Steps in a history: fewer than the requests a minute that the Free tier allows, so that no call is refused for its rate. */
const MAX_STEPS = 30;

const service = await startService({ after });

/** One generation of a family, as the model knows it: `text` is what the service calls it. */
interface Generation {
  readonly access: string;
  readonly refresh: string;
  readonly bornAt: number;
  rotatedAt: number | null;
}

/** The family as it ought to be: a line of generations, alive or not. */
class Model {
  readonly line: Generation[] = [];
  alive = true;
  now = 0;

  /** What a refresh with a generation has to do: begin a new one, repeat the next one, or be refused. */
  refresh(index: number): 'next' | 'repeat' | 'refused' {
    const presented = this.line[index];
    if (presented === undefined || !this.alive) return 'refused';
    if (presented.rotatedAt === null) return this.now - presented.bornAt < REFRESH ? 'next' : 'refused';
    const successor = this.line[index + 1];
    if (this.now - presented.rotatedAt < GRACE && successor?.rotatedAt === null) return 'repeat';
    this.alive = false;
    return 'refused';
  }

  /** What a request with the access token of a generation is answered: a status, or the code of a refusal. */
  access(index: number): number | string {
    const generation = this.line[index];
    if (generation === undefined) return 'none';
    if (this.now - generation.bornAt >= ACCESS) return 'EXPIRED_TOKEN';
    return this.alive ? 200 : 'INVALID_TOKEN';
  }
}

interface Family {
  readonly service: TestService;
  readonly clientId: string;
}

type Step = fc.AsyncCommand<Model, Family>;

/** Picks a generation by its distance from the newest, so that most steps are about the last few. */
const pick = (model: Model, back: number) => Math.max(0, model.line.length - 1 - back);

function born(model: Model, body: Readonly<Record<string, unknown>>): void {
  const { access_token: access, refresh_token: refresh } = body;
  model.line.push({ access: String(access), refresh: String(refresh), bornAt: model.now, rotatedAt: null });
}

class Refresh implements Step {
  readonly back: number;
  readonly foreign: boolean;

  constructor(back: number, foreign: boolean) {
    this.back = back;
    this.foreign = foreign;
  }

  check = () => true;

  async run(model: Model, real: Family): Promise<void> {
    const index = pick(model, this.back);
    const presented = model.line[index];
    assert.ok(presented);
    const clientId = this.foreign ? 'another-app' : real.clientId;
    const answer = await refresh(real.service, { clientId, refreshToken: presented.refresh });
    const expected = this.foreign ? 'refused' : model.refresh(index);
    assert.equal(answer.status, expected === 'refused' ? 400 : 200, `${expected} of ${index}`);
    if (expected === 'refused') assert.equal(answer.body.error, 'invalid_grant');
    if (expected === 'repeat') assert.equal(answer.body.refresh_token, model.line[index + 1]?.refresh);
    if (expected !== 'next') return;
    assertEvery(model.line, (each) => each.refresh !== answer.body.refresh_token);
    presented.rotatedAt = model.now;
    born(model, answer.body);
  }

  toString = () => `refresh(${this.back}${this.foreign ? ', foreign' : ''})`;
}

class Advance implements Step {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }

  check = () => true;

  async run(model: Model, real: Family): Promise<void> {
    model.now += this.milliseconds;
    real.service.clock.advance(this.milliseconds);
  }

  toString = () => `advance(${this.milliseconds})`;
}

class Revoke implements Step {
  readonly back: number;
  readonly foreign: boolean;

  constructor(back: number, foreign: boolean) {
    this.back = back;
    this.foreign = foreign;
  }

  check = () => true;

  async run(model: Model, real: Family): Promise<void> {
    const presented = model.line[pick(model, this.back)];
    assert.ok(presented);
    const clientId = this.foreign ? 'another-app' : real.clientId;
    assert.equal((await revoke(real.service, presented.refresh, clientId)).status, 200);
    if (!this.foreign) model.alive = false;
  }

  toString = () => `revoke(${this.back}${this.foreign ? ', foreign' : ''})`;
}

class Use implements Step {
  readonly back: number;

  constructor(back: number) {
    this.back = back;
  }

  check = () => true;

  async run(model: Model, real: Family): Promise<void> {
    const index = pick(model, this.back);
    const { status, code } = await call(real.service, model.line[index]?.access ?? '');
    const expected = model.access(index);
    // Tokens that expired long ago are forgotten.
    const forgotten = expected === 'EXPIRED_TOKEN' && code === 'INVALID_TOKEN';
    if (!forgotten) assert.equal(code ?? status, expected, `${index}`);
  }

  toString = () => `use(${this.back})`;
}

const back = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 3 }));
const rarely = fc.integer({ min: 0, max: 9 }).map((number) => number === 0);
const span = fc.constantFrom(
  0,
  SECOND,
  GRACE - 1,
  GRACE,
  2 * GRACE,
  ACCESS - 1,
  ACCESS,
  REFRESH - ACCESS,
  REFRESH,
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(back, rarely).map(([at, foreign]) => new Refresh(at, foreign)) },
  { weight: 3, arbitrary: back.map((at) => new Use(at)) },
  { weight: 3, arbitrary: span.map((time) => new Advance(time)) },
  { weight: 1, arbitrary: fc.tuple(back, fc.boolean()).map(([at, foreign]) => new Revoke(at, foreign)) },
);

test('R10: whatever clients do with the tokens of a family, rotation keeps to its model', async () => {
  assert.ok(MAX_STEPS < (TIERS.free.minute ?? 0));
  await fc.assert(
    fc.asyncProperty(fc.commands([step], { size: '+1', maxCommands: MAX_STEPS }), async (commands) => {
      // Earlier histories leave no limits behind.
      service.clock.advance(61 * SECOND);
      const model = new Model();
      const session = await signIn(service);
      born(model, { access_token: session.accessToken, refresh_token: session.refreshToken });
      const real = { service, clientId: session.clientId };
      await fc.asyncModelRun(() => ({ model, real }), commands);
    }),
    runs(60, 20_260_105),
  );
});
