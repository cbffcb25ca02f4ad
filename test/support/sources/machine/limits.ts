// Limits of a vendor: whether the requests of a machine stayed below the windows of its profile.

import assert from 'node:assert/strict';
import type { VendorMachine } from './vendor-machine.ts';

/** Asserts that no window of the profile had more requests than it allows, whichever moment it begins at. */
export function assertLimits({ server, profile }: VendorMachine): void {
  const times = server.requests.flatMap(({ url, at }) => (url.pathname.startsWith('/odata') ? [at] : []));
  assert.ok(times.length > 0);
  for (const { seconds, requests } of profile.limits.windows) {
    if (requests === undefined) continue;
    const most = Math.max(
      ...times.map((end) => times.filter((at) => at > end - seconds * 1_000 && at <= end).length),
    );
    assert.ok(most <= requests, `${most} requests in ${seconds} s`);
  }
  assert.equal(server.vendor.quota.refusals, 0, 'requests that the server refused');
}
