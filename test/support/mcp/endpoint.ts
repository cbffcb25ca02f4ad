// The MCP endpoint of a service for tests about who is let in, with a key and what its challenges name.

import type { Closing } from '../database/database.ts';
import { startService, type TestService } from '../service/service.ts';
import { type StubProvider, stubProvider } from '../service/stub-provider.ts';

export interface Endpoint {
  readonly service: TestService;
  readonly provider: StubProvider;
  /** Of the Business tier. */
  readonly key: string;
  /** URL of the metadata document that challenges name. */
  readonly metadataUrl: string;
}

/** All scopes, as challenges ask for them. */
export const ALL_SCOPES = 'listings:read listings:live watchers';

export async function startEndpoint(t: Closing): Promise<Endpoint> {
  const provider = stubProvider();
  const environment = { TRUSTED_PROXIES: '127.0.0.1' };
  const service = await startService(t, { environment, overrides: { provider } });
  const key = provider.subscribe('business');
  const metadataUrl = `${service.url}/.well-known/oauth-protected-resource/mcp`;
  return { service, provider, key, metadataUrl };
}
