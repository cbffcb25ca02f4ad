// Filesystem of a folder, from /proc/self/mountinfo of Linux (proc(5)).

export interface Mount {
  /** As the kernel names it: `ext4`, `nfs4`, `fuse.sshfs`. */
  readonly type: string;
  readonly readOnly: boolean;
}

const NETWORK =
  /^(?:nfs|nfs4|cifs|smb3|smbfs|9p|ceph|glusterfs|afs|lustre|davfs|beegfs|ocfs2|gfs2|fuse\.(?:sshfs|glusterfs|ceph-fuse|rclone|s3fs|gcsfuse|davfs2|juicefs|mount-s3))$/;

export function isNetworkFilesystem({ type }: Mount): boolean {
  return NETWORK.test(type);
}

export function isInMemory({ type }: Mount): boolean {
  return type === 'tmpfs' || type === 'ramfs';
}

/** The mount that holds an absolute path without links; undefined where the text names none. */
export function findMount(mountinfo: string, path: string): Mount | undefined {
  let found: (Mount & { readonly point: string }) | undefined;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , , point = '', options = ''] = before.split(' ');
    const [type = '', , superOptions = ''] = after.split(' ');
    const place = withoutEscapes(point);
    const isWithin = place === '/' || path === place || path.startsWith(`${place}/`);
    if (type === '' || !isWithin) continue;
    // Of two on one place the later one hides the earlier.
    if (found !== undefined && place.length < found.point.length) continue;
    found = { point: place, type, readOnly: `${options},${superOptions}`.split(',').includes('ro') };
  }
  return found && { type: found.type, readOnly: found.readOnly };
}

/** Spaces, tabs, line ends and backslashes stand as three octal digits. */
function withoutEscapes(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
