// Upstream source of the configuration: the sample market, a RESO Web API server, or none.

import { type Config, readVariables } from '../config.ts';
import { updatePhotoUrls } from '../ingest/media-url-store.ts';
import type { Clock } from '../lib/clock.ts';
import { createOutbound } from '../lib/outbound.ts';
import { findShowing } from '../listings/provenance/contact-store.ts';
import type { Database } from '../postgres/client/database.ts';
import { SAMPLE } from '../sources/abandoned.ts';
import { Breaker } from '../sources/budget/breaker.ts';
import { RequestBudget } from '../sources/budget/request-budget.ts';
import type { ResoRegistered } from '../sources/registry/registry-store.ts';
import { profileOf, resoCredentials } from '../sources/registry/reso-settings.ts';
import type { Variables } from '../sources/registry/secrets.ts';
import { readProfile, STANDARD } from '../sources/reso/profiles/profile.ts';
import type { Profile } from '../sources/reso/profiles/profile-schema.ts';
import { resoSource } from '../sources/reso/transport/client.ts';
import type { RequestHooks } from '../sources/reso/transport/request.ts';
import { LiveError, type ShownContact, type Source } from '../sources/source.ts';
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
/** Milliseconds in which a request that is given up was so because nobody waited for it any more. */
const LEFT_WITHIN = 5_000;

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
  ...options
}: Omit<SourceSetOptions, 'open'> & { readonly variables?: () => Variables }): Promise<SourceSet> {
  const open = (registered: ResoRegistered) => openRegistered(registered, options, variables);
  const sources = new SourceSet({ ...options, open });
  await sources.start();
  return sources;
}

/** A source that is set up in the database, with the secrets of this process. Throws SecretMissing. */
async function openRegistered(
  { id, name, settings }: ResoRegistered,
  { database, clock }: Pick<SourceSetOptions, 'database' | 'clock'>,
  readVariables: () => Variables,
): Promise<Source> {
  const { url, currency, timeZone, displayDefault, refreshesPerMinute } = settings;
  const credentials = await resoCredentials(settings, readVariables());
  const profile = profileOf(settings);
  return resoSource({
    id,
    name,
    url,
    profile,
    credentials,
    clock,
    outbound: createOutbound({ clock }),
    ...budgetHooks({ database, clock, profile, url, secrets: settings.secrets }),
    findShowing: showingIn(database, id),
    live: profile.live !== false,
    showsByDefault: displayDefault !== 'withhold',
    ...(currency !== undefined && { currency }),
    ...(timeZone !== undefined && { timeZone }),
    ...(refreshesPerMinute !== undefined && { refreshesPerMinute }),
  });
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

/** Budget and breaker of a source. Sources of one server and one credential share a budget: `secrets` names the credential. */
function budgetHooks({
  database,
  clock,
  profile,
  url,
  secrets,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly profile: Profile;
  readonly url: string;
  readonly secrets: unknown;
}): RequestHooks {
  const connection = `${new URL(url).origin} ${JSON.stringify(secrets)}`;
  const live = profile.live !== false;
  const budget = new RequestBudget({ database, clock, connection, limits: profile.limits, live });
  const breaker = new Breaker(clock);
  return {
    async permit(kind, signal) {
      if (kind === 'live') breaker.pass();
      await budget.permit(kind, signal);
    },
    observed(kind, answer) {
      if (answer.status < 500) breaker.succeeded();
      else breaker.failed();
      budget.observed(kind, answer);
    },
    failed(_kind, error, milliseconds) {
      // Somebody who leaves soon says nothing of the source.
      const isLeft = error instanceof LiveError && error.code === 'timeout' && milliseconds < LEFT_WITHIN;
      if (!isLeft) breaker.failed();
    },
  };
}

/** Creates the source of the settings; the sample market is started and its areas loaded first. */
export async function openUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { config, database, clock, log } = options;
  const { source } = config;
  if (source.kind === 'none') return { source: null, interval: 0, sampleUrl: null, stop: async () => {} };
  const outbound = createOutbound({ clock });
  if (source.kind === 'reso') {
    const { url, profile } = source;
    const hooks = budgetHooks({ database, clock, profile, url, secrets: 'RESO' });
    const reso = resoSource({
      id: 'reso',
      name: 'RESO Web API',
      clock,
      outbound,
      findShowing: showingIn(database, 'reso'),
      ...hooks,
      ...source,
    });
    return { source: reso, interval: RESO_INTERVAL, sampleUrl: null, stop: async () => {} };
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
      outbound,
      // What is invented is not worth a copy.
      profile: readProfile(STANDARD, { page: { size: 1_000 }, raw: 'none' }),
      refreshesPerMinute: SAMPLE_REFRESHES,
    }),
    interval: SAMPLE_INTERVAL,
    sampleUrl: url,
    stop: () => market.stop(),
  };
}
