// Types of oidc-provider that the comparison uses; the package has none.

declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export interface AdapterPayload {
    readonly grantId?: string;
    readonly userCode?: string;
    readonly uid?: string;
    readonly consumed?: unknown;
  }

  export interface Adapter {
    upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void>;
    find(id: string): Promise<AdapterPayload | undefined>;
    findByUid(uid: string): Promise<AdapterPayload | undefined>;
    findByUserCode(userCode: string): Promise<AdapterPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  /** A record: saved, it gives its own text. */
  interface Model {
    save(ttl?: number): Promise<string>;
  }

  interface AccessToken extends Model {
    readonly isValid: boolean;
    readonly scopes: ReadonlySet<string>;
    readonly clientId: string;
  }

  type Facts = Readonly<Record<string, unknown>>;

  export default class Provider {
    constructor(issuer: string, configuration: Facts);
    readonly Grant: new (
      facts: Facts,
    ) => Model & { addOIDCScope(scope: string): void };
    readonly RefreshToken: new (
      facts: Facts,
    ) => Model;
    readonly AuthorizationCode: new (
      facts: Facts,
    ) => Model;
    readonly AccessToken: { find(token: string): Promise<AccessToken | undefined> };
    readonly Client: { find(id: string): Promise<object | undefined> };
    callback(): RequestListener;
  }
}
