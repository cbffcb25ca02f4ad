// Outages of a test's Polar or Stripe: what either may do to every call, from silence to lies.

import type { ManualClock } from '../service/clock.ts';
import type { PolarPayingShop, StripePayingShop } from './paying-service.ts';

interface Request {
  readonly path: string;
  /** What is asked for besides the path. */
  readonly about: string;
}

interface Said {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the service says in place of the truth; or it says nothing, cuts the connection, or answers seconds later. */
export type PaymentFault =
  | 'frozen'
  | 'cut'
  | 'slow'
  | ((truth: Said, request: Request, numberOfCall: number) => Said);

/** Milliseconds of a slow answer: below the deadline of a call, so that it counts. */
const SLOW = 1_500;
const ERROR = JSON.stringify({ error: { type: 'api_error', message: 'Internal error' } });
const NONSENSE = [
  '',
  'null',
  '[]',
  '{}',
  '42',
  '"active"',
  '<!doctype html>',
  '{"items":',
  '{"data":[null]}',
] as const;

/** Answers each question with what was said of the one before it. */
function saysOther(): PaymentFault {
  const last = new Map<string, { readonly request: Request; readonly said: Said }>();
  return (truth, request) => {
    const kind = request.path.split('/').slice(0, 3).join('/');
    const other = last.get(kind);
    last.set(kind, { request, said: truth });
    const isSame = other?.request.path === request.path && other.request.about === request.about;
    return other === undefined || isSame ? { status: 500, text: ERROR } : other.said;
  };
}

/** By what the service does; each call makes a fault anew. */
export const PAYMENT_FAULTS: Readonly<Record<string, () => PaymentFault>> = {
  'is frozen': () => 'frozen',
  'is slow': () => 'slow',
  'cuts connections': () => 'cut',
  fails: () => () => ({ status: 500, text: ERROR }),
  'limits calls': () => () => ({ status: 429, text: ERROR, headers: { 'retry-after': '90' } }),
  'answers 200 with an error': () => () => ({ status: 200, text: ERROR }),
  'answers nonsense': () => (_, _request, at) => ({
    status: 200,
    text: NONSENSE[at % NONSENSE.length] ?? '',
  }),
  'answers about another key': saysOther,
  'answers for another organization or mode': () => (truth) => ({
    ...truth,
    text: truth.text
      .replaceAll(/("organization_id": ?)"[^"]+"/g, '$1"00000000-0000-4000-8000-000000000000"')
      .replaceAll(/("livemode": ?)false/g, '$1true'),
  }),
};

/** Lets the service of a shop do that to every call from now on; null: it answers the truth. */
export function setPaymentFault(
  shop: PolarPayingShop | StripePayingShop,
  clock: ManualClock,
  fault: PaymentFault | null,
): void {
  if ('products' in shop) setPolarFault(shop, clock, fault);
  else setStripeFault(shop, clock, fault);
}

function setPolarFault({ server }: PolarPayingShop, clock: ManualClock, fault: PaymentFault | null): void {
  const until = () => new Promise<void>((resolve) => void clock.after(SLOW, resolve));
  let calls = 0;
  server.fault = () => {
    if (fault === 'slow') return { kind: 'held', until: until() };
    if (fault === 'cut') return { kind: 'dropped' };
    return fault === 'frozen' ? { kind: 'frozen' } : null;
  };
  server.alter = (answer, { path, query, body }) => {
    if (typeof fault !== 'function') return answer;
    const truth = { status: answer.status, text: JSON.stringify(answer.body) };
    const { status, text, headers } = fault(truth, { path, about: `${query}${body}` }, calls++);
    return { status, body: text, headers: { 'content-type': 'application/json', ...headers } };
  };
}

function setStripeFault({ server }: StripePayingShop, clock: ManualClock, fault: PaymentFault | null): void {
  let calls = 0;
  server.intercept = ({ path, query, body }, response, answer) => {
    if (fault === null) return false;
    const send = ({ status, text, headers = {} }: Said) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    const truth = () => ({ status: answer().status, text: answer().body });
    if (fault === 'slow') clock.after(SLOW, () => send(truth()));
    else if (fault === 'cut') response.socket?.resetAndDestroy();
    else if (fault !== 'frozen') send(fault(truth(), { path, about: `${query}${body}` }, calls++));
    return true;
  };
}
