// Routes of metadata, registration and authorization.

import type { Principal } from '../access/tiers/tiers.ts';
import type { Route } from '../http/frame/route.ts';
import type { AuthorizeOptions } from './authorize/authorize-handlers.ts';
import { authorizeRoutes } from './authorize/authorize-routes.ts';
import { type RegisterOptions, registerRoute } from './clients/registration-endpoint.ts';
import { metadataRoutes } from './protocol/metadata-routes.ts';

export type OAuthRoutesOptions = AuthorizeOptions & RegisterOptions;

/** Metadata, registration and authorization. */
export function oauthRoutes(options: OAuthRoutesOptions): readonly Route<Principal>[] {
  return [...metadataRoutes(options.publicUrl), registerRoute(options), ...authorizeRoutes(options)];
}
