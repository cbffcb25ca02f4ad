// Tests of deploy/kubernetes: what Kubernetes' own schemas say of it, what kustomize makes of it, and whether its parts name each other.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { VERSION } from '../../src/app/version.ts';
import { readConfig } from '../../src/config.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { run, withoutPrograms } from '../support/deploy/programs.ts';
import { CLIENTS, clientsSkip } from '../support/process/client-packages.ts';

const FOLDER = 'deploy/kubernetes';
const MODULES = join(CLIENTS, 'node_modules');

type Labels = Readonly<Record<string, string>>;

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly startupProbe?: { readonly httpGet: { readonly port: string } };
}

interface Pod {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly [Container];
    readonly volumes: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
    }[];
  };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Labels;
  readonly spec: {
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly template?: Pod;
    readonly jobTemplate?: { readonly spec: { readonly template: Pod } };
  };
}

const manifestsOf = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS() as Manifest;
  });

const written = readdirSync(join(ROOT, FOLDER))
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) => manifestsOf(readSource(`${FOLDER}/${name}`).text));

const find = (manifests: readonly Manifest[], kind: string): Manifest =>
  manifests.find((each) => each.kind === kind) ?? assert.fail(`no ${kind}`);

const podOf = ({ spec }: Manifest): Pod =>
  spec.template ?? spec.jobTemplate?.spec.template ?? assert.fail('no pod');

/** Where the types and schemas of a manifest's version are. */
const moduleOf = ({ apiVersion }: Manifest): string => `kubernetes-models/${apiVersion}`;

/** What the compiler says of manifests as objects of Kubernetes' types, which know every member; null: nothing. */
async function typeFaults(folder: string, manifests: readonly Manifest[]): Promise<string | null> {
  const lines = manifests.flatMap((manifest, at) => [
    `import type { I${manifest.kind} as I${at} } from '${moduleOf(manifest)}/${manifest.kind}';`,
    `export const m${at}: I${at} = ${JSON.stringify(manifest)};`,
  ]);
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'preserve'];
  return run(
    process.execPath,
    [join(MODULES, 'typescript/bin/tsc'), ...options, join(folder, 'manifests.ts')],
    { cwd: folder },
  ).then(
    () => null,
    (error: Error) => error.message,
  );
}

/** What the schema of its kind says of a manifest, beyond the types: forms of quantities, ports, times. */
async function schemaFaults(manifest: Manifest): Promise<string | null> {
  const require = createRequire(join(CLIENTS, 'package.json'));
  const path = join(MODULES, moduleOf(manifest), `${manifest.kind}.js`);
  assert.ok(require.resolve(path));
  const module = (await import(pathToFileURL(path).href)) as Readonly<
    Record<string, new (manifest: Manifest) => { validate(): void }>
  >;
  const Model = module[manifest.kind] ?? assert.fail(manifest.kind);
  try {
    new Model(manifest).validate();
    return null;
  } catch (error) {
    return String(error);
  }
}

test('every manifest is what Kubernetes’ schemas describe', { skip: clientsSkip() }, async (t) => {
  const folder = await temporaryFolder(t, 'kubernetes');
  symlinkSync(MODULES, join(folder, 'node_modules'));
  assert.equal(await typeFaults(folder, written), null);
  for (const manifest of written) assert.equal(await schemaFaults(manifest), null, manifest.kind);

  const deployment = structuredClone(find(written, 'Deployment'));
  const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 1 } };
  assert.match((await typeFaults(folder, [misspelt])) ?? '', /"replica"/);
  const wrong = structuredClone(deployment);
  Object.assign(podOf(wrong).spec.containers[0], { ports: [{ containerPort: 'http' }] });
  assert.match((await schemaFaults(wrong)) ?? '', /containerPort must be integer/);
});

test('selectors, ports, volumes and claims name what there is', () => {
  const [deployment, cron] = ['Deployment', 'CronJob'].map((kind) => find(written, kind)) as [
    Manifest,
    Manifest,
  ];
  const { labels } = podOf(deployment).metadata;
  assert.deepEqual(deployment.spec.selector?.matchLabels, labels);
  assert.deepEqual(find(written, 'PodDisruptionBudget').spec.selector?.matchLabels, labels);
  const service = find(written, 'Service');
  assert.deepEqual(service.spec.selector, labels);
  assert.notDeepEqual(podOf(cron).metadata.labels, labels, 'backups get no requests');
  const [container] = podOf(deployment).spec.containers;
  const [port = assert.fail()] = container.ports ?? [];
  assert.equal(service.spec.ports?.[0]?.targetPort, port.name);
  assert.equal(container.startupProbe?.httpGet.port, port.name);
  assert.match(readSource('Containerfile').text, new RegExp(`^EXPOSE ${port.containerPort}$`, 'm'));
  for (const { spec } of [podOf(deployment), podOf(cron)])
    assert.deepEqual(
      spec.containers[0].volumeMounts.map(({ name }) => name),
      spec.volumes.map(({ name }) => name),
    );
  const claims = podOf(cron).spec.volumes.flatMap(
    ({ persistentVolumeClaim: claim }) => claim?.claimName ?? [],
  );
  assert.deepEqual(claims, [find(written, 'PersistentVolumeClaim').metadata.name]);
});

const skip = withoutPrograms(['kubectl', 'kubernetes-client']);

const build = async (folder: string): Promise<Manifest[]> =>
  manifestsOf(await run('kubectl', ['kustomize', folder]));

test('kustomize makes of it pods of this release, with settings that the service takes', {
  skip,
}, async () => {
  const built = await build(join(ROOT, FOLDER));
  assert.equal(built.length, written.length + 1);
  const settings = find(built, 'ConfigMap');
  for (const kind of ['Deployment', 'CronJob']) {
    const [container] = podOf(find(built, kind)).spec.containers;
    assert.match(container.image, new RegExp(`^registry\\.example\\.com/freehold:${VERSION}-slim$`));
    assert.deepEqual(container.envFrom, [
      { configMapRef: { name: settings.metadata.name } },
      { secretRef: { name: 'freehold' } },
    ]);
  }
  const config = readConfig(
    {
      HOST: '0.0.0.0',
      DATABASE_URL: 'postgres://freehold:secret@postgres:5432/freehold',
      SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
      ...settings.data,
    },
    '/data',
  );
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8']);
});

/** Debian 12 has kubectl 1.20, whose kustomize takes no folder among `resources`. */
const overlaySkip =
  skip ||
  (/v1\.(?:1\d|20)\./.test(await run('kubectl', ['version', '--client']))
    ? 'kubectl 1.21 or newer builds overlays like this one'
    : false);

test('the overlay of the documentation changes what it says', { skip: overlaySkip }, async (t) => {
  const { text } = readSource('docs/production.md');
  const [, overlay = assert.fail()] = /```yaml\n( +resources:[^`]+)```/.exec(text) ?? [];
  const folder = await temporaryFolder(t, 'overlay');
  cpSync(join(ROOT, FOLDER), join(folder, 'kubernetes'), { recursive: true });
  mkdirSync(join(folder, 'homes'));
  writeFileSync(join(folder, 'homes/kustomization.yaml'), overlay.replaceAll(/^ {3}/gm, ''));
  const built = await build(join(folder, 'homes'));
  const settings = find(built, 'ConfigMap');
  assert.equal(settings.data?.PUBLIC_URL, 'https://homes.example.com');
  assert.equal(settings.data?.SOURCE, 'reso');
  const [container] = podOf(find(built, 'Deployment')).spec.containers;
  assert.match(container.image, new RegExp(`^registry\\.example\\.com/homes/freehold:${VERSION}-slim$`));
});
