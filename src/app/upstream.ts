// Upstream source of the configuration: the sample market, a RESO Web API server, or none.

import { type Config, readVariables } from '../config.ts';
import { updatePhotoUrls } from '../ingest/pictures/media-url-store.ts';
import type { Clock } from '../lib/clock.ts';
import { createOutbound, type Outbound } from '../lib/outbound.ts';
import { writeTerms } from '../licence/licence-store.ts';
import { OWN } from '../licence/terms/terms.ts';
import type { MediaMode } from '../listings/pictures/own-pictures.ts';
import { findShowing } from '../listings/provenance/contact-store.ts';
import type { Database } from '../postgres/client/database.ts';
import { SAMPLE } from '../sources/abandoned.ts';
import { type ConnectionOptions, openConnection, SETTINGS_CREDENTIAL } from '../sources/budget/connection.ts';
import { findLookups } from '../sources/lookups/lookup-store.ts';
import { findResoSources, type ResoRegistered } from '../sources/registry/registry-store.ts';
import { profileOf, resoCredentials } from '../sources/registry/reso-settings.ts';
import type { Variables } from '../sources/registry/secrets.ts';
import { mediaModeOf, readProfile, STANDARD } from '../sources/reso/profiles/profile.ts';
import type { Profile } from '../sources/reso/profiles/profile-schema.ts';
import { type ResoOptions, resoSource } from '../sources/reso/transport/client.ts';
import type { ResoSourceSettings } from '../sources/reso/transport/source-settings.ts';
import type { ShownContact, Source } from '../sources/source.ts';
import { SourceSet, type SourceSetOptions } from '../sources/source-set.ts';
import { loadSampleAreas, startSampleMarket } from './sample-market.ts';
import { samplePhotosUrl } from './sample-photos.ts';

export interface Upstream {
  readonly source: Source | null;
  /** Milliseconds between two reads of changes. */
  readonly interval: number;
  /** The sample market's URL; null if there is none. */
  readonly sampleUrl: string | null;
  stop(): Promise<void>;
}

/** Milliseconds; longer than a step of the sample market, so that live differs from cached. */
const SAMPLE_INTERVAL = 20_000;
/** Refreshes of watched listings a minute: the sample market runs on this machine. */
const SAMPLE_REFRESHES = 600;
const RESO_INTERVAL = 60_000;

export interface UpstreamOptions {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly sampleListings: number;
  /** The service's own URL, which serves the sample's photos. */
  readonly publicUrl: string;
}

/** The sources that this process reads: that of the settings, and those that are set up in the database. */
export async function startSources({
  variables = readVariables,
  config,
  ...options
}: Omit<SourceSetOptions, 'open'> & {
  readonly variables?: () => Variables;
  readonly config: Pick<Config, 'media'>;
}): Promise<SourceSet> {
  const { database, clock } = options;
  const open = (registered: ResoRegistered) =>
    openRegistered(registered, { database, clock, mediaMode: config.media.mode }, variables());
  await noteTerms(options);
  const sources = new SourceSet({ ...options, open });
  await sources.start();
  return sources;
}

/** Notes what the licences of all sources that are read permit, before anything of them is stored or shown. */
async function noteTerms({
  database,
  clock,
  source,
}: Pick<SourceSetOptions, 'database' | 'clock' | 'source'>): Promise<void> {
  const now = new Date(clock.now());
  await database.transaction(async (tx) => {
    if (source !== null) await writeTerms(tx, source.id, source.licence ?? null, now);
    for (const { id, settings } of await findResoSources(tx))
      await writeTerms(tx, id, profileOf(settings).licence, now);
  });
}

export interface OpenOptions {
  /** How photos are shown of sources that say nothing of it. */
  readonly mediaMode: MediaMode;
  /** Where requests are counted; null: they are not. */
  readonly database: Database | null;
  readonly clock: Clock;
  /** Default: one of its own. */
  readonly outbound?: Outbound;
}

/** A source that is set up in the database, with the secrets of this process. Throws SecretMissing. */
export async function openRegistered(
  { id, name, settings }: ResoRegistered,
  options: OpenOptions,
  variables: Variables,
): Promise<Source> {
  const { refreshesPerMinute, secrets, url } = settings;
  const credentials = await resoCredentials(settings, variables);
  const profile = profileOf(settings);
  return openCounted(
    options,
    { profile, url, secrets },
    {
      id,
      name,
      credentials,
      ...mappingOf(settings),
      ...(refreshesPerMinute !== undefined && { refreshesPerMinute }),
    },
  );
}

/** What the settings of a source say of how its records are mapped. */
export const mappingOf = ({ currency, timeZone, displayDefault }: ResoRegistered['settings']) => ({
  showsByDefault: displayDefault !== 'withhold',
  ...(currency !== undefined && { currency }),
  ...(timeZone !== undefined && { timeZone }),
});

/** The RESO source of the settings of a process. */
export function openOwn(settings: ResoSourceSettings, options: OpenOptions): Source {
  const { profile, url, kind: _, ...more } = settings;
  const place = { profile, url, secrets: SETTINGS_CREDENTIAL };
  return openCounted(options, place, { id: 'reso', name: 'RESO Web API', ...more });
}

/** Keys of the stored listings of a source that show agents or offices. */
const showingIn =
  (database: Database, source: string) =>
  (contacts: readonly ShownContact[]): Promise<string[]> => {
    const keysOf = (kind: ShownContact['kind']) =>
      contacts.flatMap((contact) => (contact.kind === kind ? [contact.key] : []));
    const shown = { agents: keysOf('agent'), offices: keysOf('office') };
    return database.read((sql) => findShowing(sql, source, shown));
  };

/** A source whose requests pass its budget and its breaker. */
function openCounted(
  { database, clock, mediaMode, outbound = createOutbound({ clock }) }: OpenOptions,
  {
    profile: stated,
    url,
    secrets,
  }: Pick<ConnectionOptions, 'url' | 'secrets'> & { readonly profile: Profile },
  settings: Omit<ResoOptions, 'profile' | 'url' | 'clock' | 'outbound'>,
): Source {
  const media = { ...stated.media, mode: mediaModeOf(stated, mediaMode) };
  const profile = { ...stated, media };
  const reso = { ...settings, profile, url, clock, outbound };
  if (database === null) return resoSource(reso);
  const { hooks, budget } = openConnection({ database, clock, profile, url, secrets });
  const showing = showingIn(database, settings.id);
  const findKept = (known: number | null) => database.read((sql) => findLookups(sql, settings.id, known));
  return resoSource({ ...reso, ...hooks, findShowing: showing, findLookups: findKept, budget });
}

/** Creates the source of the settings; the sample market is started and its areas loaded first. */
export async function openUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { config, database, clock, log } = options;
  const { source } = config;
  if (source.kind === 'none') return { source: null, interval: 0, sampleUrl: null, stop: async () => {} };
  if (source.kind === 'reso') {
    const own = openOwn(source, { database, clock, mediaMode: config.media.mode });
    return { source: own, interval: RESO_INTERVAL, sampleUrl: null, stop: async () => {} };
  }
  const photosUrl = samplePhotosUrl(options.publicUrl);
  const market = await startSampleMarket({
    dataDirectory: config.dataDirectory,
    port: source.port,
    interval: source.interval,
    log,
    clock,
    listings: options.sampleListings,
    photosUrl,
  });
  try {
    await loadSampleAreas(database, market.url);
    await updatePhotoUrls(database, SAMPLE, photosUrl);
  } catch (error) {
    await market.stop();
    throw error;
  }
  const { url, clientId, clientSecret } = market;
  const credentials = { kind: 'client', tokenUrl: `${url}/oauth/token`, clientId, clientSecret } as const;
  return {
    source: resoSource({
      id: SAMPLE,
      name: 'Sample market',
      url: `${url}/odata`,
      credentials,
      clock,
      outbound: createOutbound({ clock }),
      // What is invented is not worth a copy.
      profile: readProfile(STANDARD, {
        page: { size: 1_000 },
        raw: 'none',
        lookups: { from: 'none' },
        licence: OWN,
      }),
      refreshesPerMinute: SAMPLE_REFRESHES,
    }),
    interval: SAMPLE_INTERVAL,
    sampleUrl: url,
    stop: () => market.stop(),
  };
}
