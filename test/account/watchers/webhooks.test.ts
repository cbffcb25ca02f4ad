// Proves over HTTP what the page about watchers shows of webhooks and deliveries, and that it tests and sends again as the API does.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sendAccount } from '../../support/watch/account.ts';
import { webhookStage, writeDelivery } from '../../support/watch/webhooks.ts';

const { service, clock, subscribe, create } = await webhookStage({ after });
const send = (fields: Record<string, string>) => sendAccount(service, fields);
const HOOK = { type: 'webhook', url: 'https://a.example/hook?token=1' };
beforeEach(() => clock.advance(60_000));

/** A watcher with a webhook of this status, and deliveries of these. */
async function delivered(statuses: readonly string[], webhookStatus = 'active') {
  const { key } = await subscribe('pro');
  const created = await create(key, [HOOK]);
  assert.equal(created.status, 201, created.text);
  const { id } = created.watcher;
  await service.database.write(
    (sql) => sql`update webhook set status = ${webhookStatus}, due_at = null where watcher_id = ${id}`,
  );
  const ids: string[] = [];
  for (const [at, status] of statuses.entries())
    ids.push(await writeDelivery(service, { watcherId: id, sequence: 10 + at, status, at: clock.now() }));
  const { proof } = await send({ api_key: key });
  return { key, id, ids, proof, page: await send({ proof, watcher: id }) };
}

/** Entries of the log of changes that ask for a test of this watcher. */
async function testsOf(watcherId: string): Promise<number> {
  const rows = await service.database.read(
    (sql) => sql`select from change where watcher_id = ${watcherId} and action = 'tested'`,
  );
  return rows.length;
}

test('a watcher shows its webhooks and deliveries, the newest first, with what was answered', async () => {
  const { page } = await delivered(['succeeded', 'failed', 'parked']);
  assert.match(page.text, /Sends to https:\/\/a\.example\/hook\?token=1 Works/);
  assert.match(
    page.text,
    /Given up Listing changed, to a\.example Status 500 · 12 ms · today at \d\d:\d\d UTC The answer was 500 Answer oops Send again Not delivered .* Delivered/,
  );
});

const WEBHOOK_STATES = {
  unverified: 'Not verified: it gets a test until it answers one',
  active: 'Works , last answered today at 11:00 UTC',
  failing: 'Does not answer: tried again by itself , last answered today at 11:00 UTC',
  disabled: 'Switched off: it gets nothing until you try again , last answered today at 11:00 UTC',
} as const;

for (const [status, words] of Object.entries(WEBHOOK_STATES))
  test(`a webhook that is ${status} is said to be so, in the list and on its page, and in no other words`, async () => {
    const { id, proof } = await delivered([], status);
    const answered = status === 'unverified' ? null : '2026-06-01T11:00:00Z';
    await service.database.write(
      (sql) => sql`update webhook set last_success_at = ${answered} where watcher_id = ${id}`,
    );
    for (const fields of [{ proof }, { proof, watcher: id }]) {
      const { text } = await send(fields);
      const found = Object.values(WEBHOOK_STATES).filter((each) =>
        text.includes(each.split(/[:,]/)[0]?.trim() ?? each),
      );
      assert.deepEqual(found, [words]);
      assert.ok(text.includes(words), text);
    }
  });

test('each state of a delivery is said in words, with the attempt and the next one', async () => {
  const { id, proof } = await delivered(['pending', 'succeeded', 'failed', 'parked']);
  await service.database.write(
    (sql) => sql`
      update webhook_delivery set attempt = 3, next_attempt_at = at + interval '30 minutes'
      where watcher_id = ${id} and status = 'failed'`,
  );
  const { text } = await send({ proof, watcher: id });
  const titles = [...text.matchAll(/(\S+(?: \S+){0,3}?) Listing changed, to a\.example/g)].map(
    ([, title]) => title,
  );
  assert.equal(titles.length, 4);
  for (const [at, words] of ['Given up', 'Not delivered', 'Delivered', 'Waiting for an answer'].entries())
    assert.ok(titles[at]?.endsWith(words), `${titles[at]}: ${words}`);
  assert.match(
    text,
    /Status 500 · 12 ms · attempt 3 · today at (\d\d:\d\d) UTC · next attempt today at \d\d:\d\d UTC/,
  );
});

test('R38: steps about a watcher with webhooks of somebody else do nothing, and are as if it were not there', async () => {
  const [mine, theirs] = [await delivered([]), await delivered(['failed'], 'failing')];
  const state = () =>
    service.database.read(
      (sql) => sql`
        select watcher.status as watcher, webhook.status, failures, redeliver_at from watcher join webhook on watcher_no = watcher.no
        join webhook_delivery on webhook_no = webhook.no where watcher.id = ${theirs.id}`,
    );
  // What a resumption would end.
  await service.database.write((sql) => sql`update webhook set failures = 3 where watcher_id = ${theirs.id}`);
  const before = JSON.stringify([await state(), await testsOf(theirs.id)]);
  const refusals = new Set<string>();
  for (const step of ['test', 'resume', 'pause', 'watcher'])
    for (const id of [theirs.id, 'wat_unknown']) {
      const { status, text } = await send({ proof: mine.proof, [step]: id });
      refusals.add(`${status} ${/You have no such watcher\.[^.]*\./.exec(text)?.[0]}`);
      assert.ok(!text.includes(theirs.id));
    }
  assert.deepEqual([...refusals], ['404 You have no such watcher. It may have been deleted meanwhile.']);
  for (const watcher of [theirs.id, mine.id]) {
    const refused = await send({ proof: mine.proof, watcher, redeliver: theirs.ids[0] ?? '' });
    assert.equal(refused.status, 404);
    assert.ok(!refused.text.includes('oops'), 'nor is the answer of its endpoint shown');
  }
  assert.equal(JSON.stringify([await state(), await testsOf(theirs.id)]), before);
});

test('states of webhooks are said with what follows, and the most useful step comes first', async () => {
  const primary = (html: string) => /class="btn primary"[^>]*>([^<]*)</.exec(html)?.[1];
  const unverified = (await delivered([], 'unverified')).page;
  assert.match(unverified.text, /Not verified: it gets a test until it answers one/);
  assert.match(unverified.text, /Nothing has been sent yet\. Send a test/);
  assert.equal(primary(unverified.html), 'Send a test');
  const failing = (await delivered([], 'failing')).page;
  assert.match(failing.text, /Does not answer: tried again by itself/);
  assert.equal(primary(failing.html), 'Try webhooks again now');
  const disabled = await delivered([], 'disabled');
  assert.equal(primary(disabled.page.html), 'Try webhooks again now');
  const resumed = await send({ proof: disabled.proof, watcher: disabled.id, resume: disabled.id });
  assert.match(resumed.text, /Not verified/);
});

test('a test is sent by a button, and refused as the API refuses it', async () => {
  const { proof, id, key } = await delivered([]);
  const before = await testsOf(id);
  const tested = await send({ proof, watcher: id, test: id });
  assert.deepEqual([tested.status, await testsOf(id)], [200, before + 1]);
  assert.match(tested.html, /role="status">A test is on its way\./);
  for (let count = 0; count < 10; count += 1) await send({ proof, watcher: id, test: id });
  const limited = await send({ proof, watcher: id, test: id });
  assert.equal(limited.status, 429);
  assert.match(limited.html, /role="alert">/);
  assert.match(limited.headers.get('retry-after') ?? '', /^[1-9]/);
  const plain = await create(key, []);
  const without = await send({ proof, watcher: plain.watcher.id, test: plain.watcher.id });
  assert.equal(without.status, 409);
  assert.match(without.text, /The watcher has no webhook\./);
});

test('a watcher that its owner paused offers no test, and refuses to test and to send again: nothing would be sent', async () => {
  const { proof, id, ids, key } = await delivered(['failed']);
  assert.equal((await send({ proof, pause: id })).status, 200);
  const { html } = await send({ proof, watcher: id });
  assert.ok(!html.includes('name="test"'));
  const before = await testsOf(id);
  for (const step of [{ test: id }, { redeliver: ids[0] ?? '' }]) {
    const refused = await send({ proof, watcher: id, ...step });
    assert.equal(refused.status, 409, JSON.stringify(step));
    assert.match(
      refused.html,
      /role="alert">You have paused the watcher: nothing is sent until you resume it\./,
    );
  }
  for (const path of [`/v1/watchers/${id}/test`, `/v1/watchers/${id}/deliveries/${ids[0]}/redeliver`]) {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers });
    assert.equal(((await answer.json()) as { code: string }).code, 'CONFLICT', path);
  }
  assert.equal(await testsOf(id), before);
  const asked = await service.database.read(
    (sql) => sql`select from webhook_delivery where watcher_id = ${id} and redeliver_at is not null`,
  );
  assert.equal(asked.length, 0);
  const resumed = await send({ proof, watcher: id, resume: id });
  assert.ok(resumed.html.includes('name="test"'));
  assert.equal((await send({ proof, watcher: id, redeliver: ids[0] ?? '' })).status, 200);
});

test('a delivery is sent again by a button, and that of another watcher or owner is not', async () => {
  const mine = await delivered(['failed']);
  const theirs = await delivered(['failed']);
  const isAsked = async (id = ''): Promise<boolean> => {
    const [row] = await service.database.read(
      (sql) => sql<{ asked: boolean }[]>`
        select redeliver_at is not null or attempt > 1 as asked from webhook_delivery where id = ${id}`,
    );
    return row?.asked === true;
  };
  const [own = '', foreign = ''] = [mine.ids[0], theirs.ids[0]];
  for (const [watcher, redeliver] of [
    [mine.id, foreign],
    [theirs.id, foreign],
    [mine.id, 'dlv_unknown'],
    ['wat_unknown', own],
  ] as const)
    assert.equal(
      (await send({ proof: mine.proof, watcher, redeliver })).status,
      404,
      `${watcher} ${redeliver}`,
    );
  assert.deepEqual([await isAsked(own), await isAsked(foreign)], [false, false]);
  const sent = await send({ proof: mine.proof, watcher: mine.id, redeliver: own });
  assert.equal(sent.status, 200);
  assert.match(sent.html, /role="status">It is sent again\./);
  assert.ok(await isAsked(own));
  const { proof, id, ids } = await delivered(['failed'], 'disabled');
  const refused = await send({ proof, watcher: id, redeliver: ids[0] ?? '' });
  assert.equal(refused.status, 409);
  assert.match(refused.html, /role="alert">The webhook is disabled\./);
});

test('answers, errors and URLs of endpoints are text, whatever they hold, and an unknown answer is not made up', async () => {
  const hostile = `</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>"'&amp;`;
  const { id, proof } = await delivered(['failed', 'failed']);
  await service.database.write(
    (sql) =>
      sql`update webhook_delivery set response = ${hostile}, error = ${hostile} where watcher_id = ${id} and sequence = 10`,
  );
  await service.database.write(
    (sql) =>
      sql`update webhook_delivery set response = null, http_status = 503 where watcher_id = ${id} and sequence = 11`,
  );
  await service.database.write(
    (sql) => sql`update webhook set url = ${`https://a.example/?x=${hostile}`} where watcher_id = ${id}`,
  );
  const { html, text } = await send({ proof, watcher: id });
  assert.equal(html.split('<details>').length, 2, 'one answer is known');
  assert.ok(text.includes(`Answer ${hostile}`.replaceAll(/\s+/g, ' ')));
  assert.match(text, /Status 503 · 12 ms/);
  assert.ok(!/<script|<img|<[^>]*\son\w+=/i.test(html.replaceAll(/="[^"]*"/g, '')));
});
