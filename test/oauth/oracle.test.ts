// Comparison of errors with oidc-provider; each intended difference has its reason.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFreehold, startOracle } from '../support/oauth/oracle.ts';
import { AUTHORIZE, REGISTER } from '../support/oauth/oracle-cases.ts';
import type { Case, Verdict } from '../support/oauth/oracle-requests.ts';
import { REFRESH, REVOKE, TOKEN } from '../support/oauth/oracle-token-cases.ts';

interface Difference {
  readonly ours: Verdict;
  readonly theirs: Verdict;
  readonly reason: string;
}

const PROOF =
  'A verifier that is missing makes the request malformed; one that does not fit makes the code useless to its sender.';
const STRICTER = 'Nobody can be sent to such an address as it is written, so it is no redirect.';
const REPLACED =
  'RFC 7591 lets servers replace what they do not offer, and hosted clients register without looking first.';
const NAMED =
  'RFC 7591 knows two errors of a registration, and a body that cannot be read is the one about metadata.';
const BASIC =
  'Whoever authenticates in a way that cannot be used is told so by 401 and a challenge (OAuth 2.1, section 3.2.4).';

/** By the name of the case. */
const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'authorize: a scope that nobody knows': {
    ours: 'invalid_scope',
    theirs: 'asks',
    reason: 'A person should not be asked for nothing.',
  },
  'authorize: prompt none': {
    ours: 'interaction_required',
    theirs: 'login_required',
    reason: 'Nobody logs in here: a person decides each time.',
  },
  'authorize: response_mode fragment': {
    ours: 'invalid_request',
    theirs: 'asks',
    reason:
      'The metadata offer the query alone: a fragment stays in the histories of browsers and goes to scripts.',
  },
  'authorize: response_mode unheard of': {
    ours: 'invalid_request',
    theirs: 'unsupported_response_mode',
    reason: 'The registry of OAuth errors has no word of its own for it.',
  },
  'authorize: no state': {
    ours: 'invalid_request',
    theirs: 'asks',
    reason: 'Without state a client cannot tell its own answer from one that was pushed on it.',
  },
  'authorize: no redirect_uri': {
    ours: '400 refused',
    theirs: 'asks',
    reason:
      'A client that registers another redirect later would have its old requests change their meaning.',
  },
  'authorize: redirect_uri twice': {
    ours: '400 refused',
    theirs: 'invalid_request',
    reason: 'Which of the two is meant is not for us to guess.',
  },
  'token: a verifier of 42 characters': {
    ours: '400 invalid_grant',
    theirs: '400 invalid_request',
    reason: PROOF,
  },
  'token: a verifier of 129 characters': {
    ours: '400 invalid_grant',
    theirs: '400 invalid_request',
    reason: PROOF,
  },
  'token: a verifier with a plus': {
    ours: '400 invalid_grant',
    theirs: '400 invalid_request',
    reason: PROOF,
  },
  'token: no verifier': { ours: '400 invalid_request', theirs: '400 invalid_grant', reason: PROOF },
  'token: a client that nobody knows': {
    ours: '400 invalid_grant',
    theirs: '401 invalid_client',
    reason: 'Registrations end after 30 days and grants do not: what counts is whose grant it is.',
  },
  'token: HTTP Basic for another client': {
    ours: '401 invalid_client',
    theirs: '400 invalid_request',
    reason: BASIC,
  },
  'token: HTTP Basic that is none': {
    ours: '401 invalid_client',
    theirs: '400 invalid_request',
    reason: BASIC,
  },
  'refresh: a token twice at once': {
    ours: 'ok',
    theirs: '400 invalid_grant',
    reason:
      'Within 30 seconds a retry gets the same pair again: answers get lost, and hosted clients ask from two places.',
  },
  'revoke: a client that nobody knows': {
    ours: 'ok, ok',
    theirs: '401 invalid_client, ok',
    reason: 'The same as for a foreign token: registrations end, and nothing is told about other clients.',
  },
  'revoke: an access token': {
    ours: 'ok, ok',
    theirs: 'ok, 400 invalid_grant',
    reason:
      'RFC 7009 leaves it open whether the grant goes too; to give back one token is not to give up access.',
  },
  'register: redirect_uris that are no list': {
    ours: '400 invalid_client_metadata',
    theirs: '400 invalid_redirect_uri',
    reason: 'It is the form of the document that is wrong, not a redirect.',
  },
  'register: redirect_uris that are no texts': {
    ours: '400 invalid_client_metadata',
    theirs: '400 invalid_redirect_uri',
    reason: 'It is the form of the document that is wrong, not a redirect.',
  },
  'register: a redirect with a wildcard': {
    ours: '400 invalid_redirect_uri',
    theirs: 'ok',
    reason: STRICTER,
  },
  'register: a redirect with a user': {
    ours: '400 invalid_redirect_uri',
    theirs: 'ok',
    reason: STRICTER,
  },
  'register: a client with a secret': {
    ours: 'ok',
    theirs: '400 invalid_client_metadata',
    reason: REPLACED,
  },
  'register: a grant type that is not served': {
    ours: 'ok',
    theirs: '400 invalid_client_metadata',
    reason: REPLACED,
  },
  'register: a response type that is not served': {
    ours: 'ok',
    theirs: '400 invalid_client_metadata',
    reason: REPLACED,
  },
  'register: a scope that nobody knows': {
    ours: 'ok',
    theirs: '400 invalid_client_metadata',
    reason: REPLACED,
  },
  'register: a body that is text that is no JSON': {
    ours: '400 invalid_client_metadata',
    theirs: '400 invalid_request',
    reason: NAMED,
  },
  'register: a body that is a list': {
    ours: '400 invalid_client_metadata',
    theirs: '400 invalid_request',
    reason: NAMED,
  },
  'register: a body that is nothing': {
    ours: '400 invalid_client_metadata',
    theirs: '400 invalid_request',
    reason: NAMED,
  },
  'register: a body that is a form': {
    ours: '400 invalid_client_metadata',
    theirs: '400 invalid_request',
    reason: NAMED,
  },
};

const ours = await startFreehold({ after });
const oracle = await startOracle({ after });

/** So much time between two cases that no throttle has anything to say. */
const PAUSE = 3_000;

async function compare(cases: readonly Case[]): Promise<void> {
  const verdicts: Record<string, readonly [Verdict, Verdict]> = {};
  const expected: Record<string, readonly [Verdict, Verdict]> = {};
  for (const [name, ask] of cases) {
    for (const server of [ours, oracle]) server.pass(PAUSE);
    const [ourVerdict, theirVerdict] = await Promise.all([ask(ours), ask(oracle)]);
    const difference = DIFFERENCES[name];
    verdicts[name] = [ourVerdict, theirVerdict];
    expected[name] =
      difference === undefined ? [theirVerdict, theirVerdict] : [difference.ours, difference.theirs];
  }
  assert.deepEqual(verdicts, expected);
}

test('requests for authorization are judged as oidc-provider judges them, or differently for a reason', () =>
  compare(AUTHORIZE));

test('exchanges of codes are judged as oidc-provider judges them, or differently for a reason', () =>
  compare(TOKEN));

test('refreshes are judged as oidc-provider judges them, or differently for a reason', () =>
  compare(REFRESH));

test('revocations have the effect that they have at oidc-provider, or another for a reason', () =>
  compare(REVOKE));

test('registrations are judged as oidc-provider judges them, or differently for a reason', () =>
  compare(REGISTER));

test('each difference is one between the two, and belongs to a case', () => {
  const names = new Set([AUTHORIZE, TOKEN, REFRESH, REVOKE, REGISTER].flat().map(([name]) => name));
  for (const [name, { ours: ourVerdict, theirs }] of Object.entries(DIFFERENCES)) {
    assert.ok(names.has(name), name);
    assert.notEqual(ourVerdict, theirs, name);
  }
});
