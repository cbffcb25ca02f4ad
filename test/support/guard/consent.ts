// Floods of wrong keys at the consent page: the answers, the queries of the provider, and how good keys fare meanwhile.

import { Agent, request } from 'node:http';
import { challengeOf, newVerifier } from '../oauth/oauth.ts';
import type { TestService } from '../service/service.ts';
import { keyNumber, type StubProvider } from '../service/stub-provider.ts';

export interface GuessOptions {
  readonly guesses: number;
  /** From so many addresses in turn. */
  readonly addresses: number;
}

export interface GuessResult {
  /** How often each status came for a wrong key. */
  readonly wrong: Readonly<Record<number, number>>;
  /** The same for a good key from the guessing addresses, once for every hundred guesses. */
  readonly good: Readonly<Record<number, number>>;
  /** What a good key that was never seen is answered afterwards, from an address that guessed nothing. */
  readonly newcomer: number;
  /** Queries of the provider about wrong keys. */
  readonly questions: number;
  /** The good key a minute later, where everything began. */
  readonly later: number;
}

/** Wrong keys so far, in all floods: each is another one. */
let guessed = 0;

/** The service must trust 127.0.0.1 as a proxy, and the provider be its own. Its clock does not move meanwhile. */
export async function guessAtConsent(
  service: TestService,
  provider: StubProvider,
  { guesses, addresses }: GuessOptions,
): Promise<GuessResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const decide = decider(service, agent);
  const key = provider.subscribe('pro');
  const first = await decide(key, addressOf(0));
  if (first !== 303) throw new Error(`The good key was answered ${first}`);
  const before = provider.calls;
  const [wrong, good]: [Promise<number>[], Promise<number>[]] = [[], []];
  for (let guess = 0; guess < guesses; guess++) {
    const address = addressOf(guess % addresses);
    wrong.push(decide(keyNumber(++guessed), address));
    if (guess % 100 === 0) good.push(decide(key, address));
    if (guess % 500 === 0) await Promise.all(wrong);
  }
  const [wrongOnes, goodOnes] = await Promise.all([Promise.all(wrong), Promise.all(good)]);
  // A good key is queried at each consent: its queries are no part of the flood.
  const questions = provider.calls - before - goodOnes.length;
  const newcomer = await decide(provider.subscribe('pro'), '2001:db8::1');
  service.clock.advance(60_000);
  const later = await decide(key, addressOf(0));
  agent.destroy();
  return { wrong: counted(wrongOnes), good: counted(goodOnes), newcomer, questions, later };
}

function addressOf(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}

function counted(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Sends the form as a browser does, and gives the status. */
function decider({ url }: TestService, agent: Agent): (key: string, address: string) => Promise<number> {
  const parameters = {
    response_type: 'code',
    client_id: 'guessing-app',
    redirect_uri: 'http://127.0.0.1:4321/callback',
    state: 'st',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  };
  return (key, address) =>
    new Promise((resolve, reject) => {
      const body = new URLSearchParams({ ...parameters, api_key: key }).toString();
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': body.length,
        'x-forwarded-for': address,
      };
      const sent = request(`${url}/oauth/authorize`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.on('error', reject).end(body);
    });
}
