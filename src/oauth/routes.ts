// Owns the list of what the authorization server shows to clients and to the people who decide about them.

import type { Principal } from '../access/principal.ts';
import type { Route } from '../http/route.ts';
import type { AuthorizeOptions } from './authorize-handlers.ts';
import { authorizeRoutes } from './authorize-routes.ts';
import { metadataRoutes } from './metadata.ts';
import { type RegisterOptions, registerRoute } from './register-route.ts';

export type OAuthRoutesOptions = AuthorizeOptions & RegisterOptions;

/** Metadata, registration and authorization. */
export function oauthRoutes(options: OAuthRoutesOptions): readonly Route<Principal>[] {
  return [...metadataRoutes(options.publicUrl), registerRoute(options), ...authorizeRoutes(options)];
}
