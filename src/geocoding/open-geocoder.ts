// Geocoding as it is set: its connections reach public addresses, and what the operator permits.

import type { NetworkAccess } from '../lib/network/network-access.ts';
import type { OutboundRequest } from '../lib/outbound.ts';
import { OutboundFailure } from '../lib/outbound-failure.ts';
import { Geocoder } from './geocoder.ts';
import type { GeocoderSettings } from './geocoder-settings.ts';
import { type GeocodingOptions, startGeocoding } from './start-geocoding.ts';

export interface ConfiguredGeocoding extends Omit<GeocodingOptions, 'geocoder'> {
  readonly settings: GeocoderSettings;
  /** Closed with the work. */
  readonly access: NetworkAccess;
  /** Says who asks. */
  readonly userAgent: string;
}

export function startConfiguredGeocoding(options: ConfiguredGeocoding): { stop(): Promise<void> } {
  const { settings, access, clock, userAgent } = options;
  const send = async (request: OutboundRequest) => {
    const checked = await access.check(new URL(request.url));
    if ('fault' in checked) throw new OutboundFailure('forbidden_address', `its URL ${checked.fault}`);
    return access.outbound(checked).send(request);
  };
  const work = startGeocoding({ ...options, geocoder: new Geocoder(settings, { send, clock, userAgent }) });
  return {
    async stop() {
      await work.stop();
      await access.close();
    },
  };
}
