// Names of parameters and members under which people send credentials by mistake.

/** Parameter names under which people send credentials; the error names the remedy, never the value. */
const CREDENTIAL_NAMES = new Set([
  'key',
  'apikey',
  'api_key',
  'api-key',
  'x-api-key',
  'token',
  'access_token',
  'auth',
  'authorization',
]);

/** Whether people send credentials under this name. */
export const isCredentialName = (name: string): boolean => CREDENTIAL_NAMES.has(name.toLowerCase());
/** Remedy for a credential in the wrong place. */
export const CREDENTIAL_REMEDY =
  'credentials belong in the header Authorization: Bearer, never in a URL or a body';
