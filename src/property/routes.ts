// Routes of properties: everything below /v1/property/{id}.

import type { Principal } from '../access/tiers/principal.ts';
import type { Route } from '../http/frame/route.ts';
import { propertyListRoutes } from './property-list-routes.ts';
import { type LivePropertyOptions, propertyRoute } from './property-route.ts';
import { valuationRoutes } from './valuation-routes.ts';

export function propertyRoutes(options: LivePropertyOptions): readonly Route<Principal>[] {
  return [...propertyListRoutes(options), ...valuationRoutes(options), propertyRoute(options)];
}
