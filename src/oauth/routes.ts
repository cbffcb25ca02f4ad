// Owns the HTTP face of OAuth: for now the document that tells clients where tokens for this service come from.

import { Type } from 'typebox';
import type { Principal } from '../access/principal.ts';
import { SCOPES } from '../access/tiers.ts';
import { type Route, route } from '../http/route.ts';

const ProtectedResource = Type.Object(
  {
    resource: Type.String({ format: 'uri' }),
    authorization_servers: Type.Array(Type.String({ format: 'uri' })),
    scopes_supported: Type.Array(Type.String()),
    bearer_methods_supported: Type.Array(Type.String()),
    resource_name: Type.String(),
  },
  { $id: 'ProtectedResource', description: 'Protected resource metadata (RFC 9728).' },
);

/** GET /.well-known/oauth-protected-resource, which every 401 links to. */
export function oauthRoutes(publicUrl: string): readonly Route<Principal>[] {
  const document = {
    resource: publicUrl,
    authorization_servers: [publicUrl],
    scopes_supported: Object.keys(SCOPES),
    bearer_methods_supported: ['header'],
    resource_name: 'Freehold',
  };
  return [
    route<Principal>()({
      method: 'GET',
      path: '/.well-known/oauth-protected-resource',
      operation: 'getProtectedResource',
      tag: 'OAuth',
      summary: 'Where tokens for this service come from',
      access: { credentials: 'none', counts: 'nothing' },
      answer: { description: 'The metadata of this protected resource', schema: ProtectedResource },
      handle: () => ({ json: document, headers: { 'cache-control': 'public, max-age=3600' } }),
    }),
  ];
}
