// Types of oidc-provider as far as the tests use them: the package brings none.

declare module 'oidc-provider/lib/index.js' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Client {
    readonly clientId: string;
  }

  interface Configuration {
    readonly findAccount: (
      context: unknown,
      id: string,
    ) => { readonly accountId: string; readonly claims: () => { readonly sub: string } };
    readonly interactions: {
      readonly url: (context: unknown, interaction: { readonly uid: string }) => string;
    };
    readonly renderError: (context: { body: unknown }, out: { readonly error: string }) => void;
    readonly features: {
      readonly revocation: {
        readonly enabled: boolean;
        readonly allowedPolicy: (
          context: unknown,
          client: Client,
          token: { readonly clientId: string },
        ) => Promise<boolean>;
      };
      readonly resourceIndicators: {
        readonly enabled: boolean;
        readonly defaultResource: () => string;
        readonly useGrantedResource: () => boolean;
        readonly getResourceServerInfo: (context: unknown, resource: string) => object;
      };
      readonly [feature: string]: object;
    };
    readonly [setting: string]: unknown;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly issuer: string;
    readonly Grant: new (facts: {
      readonly accountId: string;
      readonly clientId: string;
    }) => {
      addResourceScope(resource: string, scope: string): void;
      save(): Promise<string>;
    };
    callback(): RequestListener;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly params: Readonly<Record<string, unknown>> }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }

  export const errors: { readonly InvalidTarget: new () => Error };
}
