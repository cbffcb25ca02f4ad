// What the session endpoint takes and answers, as browsers and the service both read it.

/** The `challenge` of a verifier where the browser computes none, `exchange` a code after consent, `refresh` what the cookie holds, `end` it. */
export type SessionRequest =
  | { readonly action: 'exchange'; readonly code: string; readonly codeVerifier: string }
  | { readonly action: 'challenge'; readonly codeVerifier: string }
  | { readonly action: 'refresh' }
  | {
      readonly action: 'end';
      /** Where no cookie is kept, this token says what is ended. */
      readonly accessToken?: string;
    };

export interface Session {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly tier: string;
  /** Name of the tier for people. */
  readonly plan: string;
  /** Whether a key stands behind it; false: the Free tier without one. */
  readonly hasKey: boolean;
  readonly scopes: readonly string[];
  /** Whether a cookie keeps it when the page is left; false: it lives in the memory of the page. */
  readonly isKept: boolean;
}

export interface SessionAnswer {
  /** Null: nobody is signed in. */
  readonly session: Session | null;
  /** Whether what was presented was refused: a code too late, or a sign-in that has ended. */
  readonly wasRefused: boolean;
  /** The answer to `challenge`, else absent. */
  readonly challenge?: string;
}
