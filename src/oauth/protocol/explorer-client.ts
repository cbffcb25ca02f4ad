// The explorer as a client of this service's own authorization server: known without registration, with one redirect URI.

/** No client can register under this id: registered ones begin with `client_`, described ones with `https:`. */
export const EXPLORER_CLIENT_ID = 'freehold-explorer';

/** As the consent page calls it. */
export const EXPLORER_NAME = 'Explorer';

/** Where the explorer takes its codes: the only redirect URI that it has, to be compared as a text. */
export function explorerRedirect(publicUrl: string): string {
  return `${publicUrl}/explore/callback`;
}

/** The name of a client as lists show it: that of the explorer is not one that an app gave itself. */
export function knownName(clientId: string, clientName: string | null): string | null {
  return clientId === EXPLORER_CLIENT_ID ? `${EXPLORER_NAME} of this service` : clientName;
}
