// Metadata documents: RFC 8414 for the authorization server, RFC 9728 for its resources.

import { Type } from 'typebox';
import { type Principal, SCOPES } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { resourcesAt } from './tokens.ts';

const Uri = Type.String({ format: 'uri' });
const Names = Type.Array(Type.String());

const ServerMetadata = Type.Object(
  {
    issuer: Uri,
    authorization_endpoint: Uri,
    token_endpoint: Uri,
    registration_endpoint: Uri,
    revocation_endpoint: Uri,
    scopes_supported: Names,
    response_types_supported: Names,
    response_modes_supported: Names,
    grant_types_supported: Names,
    token_endpoint_auth_methods_supported: Names,
    revocation_endpoint_auth_methods_supported: Names,
    code_challenge_methods_supported: Names,
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Boolean(),
    service_documentation: Uri,
  },
  { $id: 'AuthorizationServer', description: 'Authorization server metadata (RFC 8414).' },
);

const ProtectedResource = Type.Object(
  {
    resource: Uri,
    authorization_servers: Type.Array(Uri),
    scopes_supported: Names,
    bearer_methods_supported: Names,
    resource_name: Type.String(),
  },
  { $id: 'ProtectedResource', description: 'Protected resource metadata (RFC 9728).' },
);

/** Without `offline_access`: every grant can be refreshed, and clients request all scopes that are listed. */
const SCOPE_NAMES = Object.keys(SCOPES);

function serverMetadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    scopes_supported: SCOPE_NAMES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    // Without these two, clients must assume secrets.
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${publicUrl}/docs`,
  };
}

function resourceMetadata(publicUrl: string, resource: string) {
  return {
    resource,
    authorization_servers: [publicUrl],
    scopes_supported: SCOPE_NAMES,
    bearer_methods_supported: ['header'],
    resource_name: 'Freehold',
  };
}

/** The three documents. They name the configured address, whatever address a request used. */
export function metadataRoutes(publicUrl: string): readonly Route<Principal>[] {
  const define = route<Principal>();
  const common = {
    method: 'GET',
    tag: 'OAuth',
    access: { credentials: 'none', counts: 'nothing' },
    ownQuery: true,
    anyAccept: true,
  } as const;
  const headers = { 'cache-control': 'public, max-age=3600' };
  const [api, mcp] = resourcesAt(publicUrl).map((resource) => resourceMetadata(publicUrl, resource));
  const server = serverMetadata(publicUrl);
  return [
    define({
      ...common,
      path: '/.well-known/oauth-authorization-server',
      operation: 'getAuthorizationServer',
      summary: 'Get the authorization server metadata',
      answer: { description: 'The metadata of the authorization server', schema: ServerMetadata },
      handle: () => ({ json: server, headers }),
    }),
    define({
      ...common,
      path: '/.well-known/oauth-protected-resource',
      operation: 'getProtectedResource',
      summary: 'Get the protected-resource metadata of the API',
      answer: { description: 'The metadata of the API as a protected resource', schema: ProtectedResource },
      handle: () => ({ json: api, headers }),
    }),
    define({
      ...common,
      path: '/.well-known/oauth-protected-resource/mcp',
      operation: 'getProtectedResourceOfMcp',
      summary: 'Get the protected-resource metadata of the MCP endpoint',
      answer: { description: 'The metadata of the MCP endpoint', schema: ProtectedResource },
      handle: () => ({ json: mcp, headers }),
    }),
  ];
}
