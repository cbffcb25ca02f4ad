// Proof of the grammar of the listing stream under every upstream fault and every way in which clients read or leave.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { UPSTREAM_FAULTS } from '../support/streams/faults.ts';
import { grammarViolations, runMatrix } from '../support/streams/matrix.ts';
import { startStreams } from '../support/streams/service.ts';

const service = await startStreams({ after });

for (const fault of UPSTREAM_FAULTS) {
  test(`upstream fault ${fault.name}: ${fault.outcome} for all who stay, nothing wrong for those who leave`, async () => {
    const { violations, longest } = await runMatrix(service, [fault]);
    assert.deepEqual(violations, []);
    assert.ok(longest <= 10, `${longest} s`);
  });
}

test('the check itself tells every wrong order, code and ending from the right ones', () => {
  const stream = (names: string[], code: string | null = null, complete = true) => ({
    status: 200,
    names,
    code,
    complete,
  });
  assert.deepEqual(grammarViolations(stream(['cached', 'live', 'done']), 'live', true), []);
  assert.deepEqual(grammarViolations(stream(['cached'], null, false), 'live', false), []);
  for (const wrong of [
    stream(['cached', 'done']),
    stream(['live', 'done']),
    stream(['cached', 'error', 'done'], 'timeout'),
    stream(['cached', 'live']),
    stream(['cached', 'live', 'done'], null, false),
    stream(['cached', 'live', 'live', 'done']),
  ]) {
    assert.notDeepEqual(grammarViolations(wrong, 'live', true), [], wrong.names.join());
  }
  assert.notDeepEqual(
    grammarViolations(stream(['cached', 'error', 'done'], 'timeout'), 'parse_failed', true),
    [],
  );
});
