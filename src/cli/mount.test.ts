// Proof of what is read of the mounts of a Linux machine.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMount, isInMemory, isNetworkFilesystem } from './mount.ts';

const MOUNTS = `21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
22 21 0:20 / /srv rw,relatime shared:2 master:1 - nfs4 server:/export rw,vers=4.2
23 22 8:2 / /srv/local\\040disk rw - xfs /dev/sdb1 rw
24 21 0:30 / /media/cd ro,nosuid - iso9660 /dev/sr0 rw
25 21 0:31 / /run rw,nosuid - tmpfs tmpfs rw,size=10k
26 21 0:32 / /mnt rw - fuse.sshfs me@host:/ rw
27 21 8:3 / /mnt rw - btrfs /dev/sdc1 ro
`;

test('a folder lies on the mount with the longest place above it, and of two on one place on the later', () => {
  const typeOf = (path: string) => findMount(MOUNTS, path)?.type;
  assert.equal(typeOf('/var/lib'), 'ext4');
  assert.equal(typeOf('/srv'), 'nfs4');
  assert.equal(typeOf('/srvs'), 'ext4');
  assert.equal(typeOf('/srv/local disk/data'), 'xfs');
  assert.equal(typeOf('/mnt/x'), 'btrfs');
  assert.equal(findMount('', '/'), undefined);
});

test('mounts that are read-only, elsewhere or in memory are known as such', () => {
  const at = (path: string) => findMount(MOUNTS, path) ?? { type: '', readOnly: false };
  assert.deepEqual(
    ['/', '/media/cd/x', '/mnt'].map((path) => at(path).readOnly),
    [false, true, true],
  );
  assert.deepEqual([isNetworkFilesystem(at('/srv/x')), isNetworkFilesystem(at('/mnt'))], [true, false]);
  assert.deepEqual([isInMemory(at('/run')), isInMemory(at('/'))], [true, false]);
  assert.ok(isNetworkFilesystem({ type: 'fuse.sshfs', readOnly: false }));
});
