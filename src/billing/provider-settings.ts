// Settings of the subscription provider: which one it is, its credentials, and which product is which plan.

import { isPlan, PLANS, type Plan } from '../access/tiers/tiers.ts';
import type { SettingsReader } from '../lib/settings.ts';

export interface PolarSettings {
  readonly kind: 'polar';
  /** Of the organization, with license_keys:write, benefits:read, subscriptions:read, products:read and checkouts:write. */
  readonly accessToken: string;
  readonly organizationId: string;
  /** One, or two while it is rotated; as Polar shows them. */
  readonly webhookSecrets: readonly string[];
  /** Ids of products, each with its plan. Products that are not here are not ours. */
  readonly plans: Readonly<Record<string, Plan>>;
  readonly apiUrl: string;
}

export interface StripeSettings {
  readonly kind: 'stripe';
  readonly secretKey: string;
  /** One, or two while it is rotated. */
  readonly webhookSecrets: readonly string[];
  readonly apiUrl: string;
}

export type ProviderSettings = { readonly kind: 'local' } | PolarSettings | StripeSettings;

/** Reads the settings of the chosen provider; names in `faults` what is missing or invalid, and repeats no secret. */
export function readProviderSettings(read: SettingsReader): ProviderSettings {
  const kind = read.oneOf('SUBSCRIPTIONS', ['local', 'polar', 'stripe'], 'local');
  const needed = (name: string, value: string | null, what: string): string => {
    if (value === null && read.text(name) === null) {
      read.faults.push(`${name} is missing: SUBSCRIPTIONS=${kind} needs ${what}`);
    }
    return value ?? '';
  };
  if (kind === 'local') return { kind };
  const prefix = kind.toUpperCase();
  const webhookSecrets = readSecrets(read, `${prefix}_WEBHOOK_SECRET`);
  needed(`${prefix}_WEBHOOK_SECRET`, webhookSecrets[0] ?? null, 'the secret that signs its webhooks');
  if (kind === 'stripe') {
    return {
      kind,
      webhookSecrets,
      secretKey: needed('STRIPE_SECRET_KEY', read.secret('STRIPE_SECRET_KEY'), 'a secret or restricted key'),
      apiUrl: read.url('STRIPE_API_URL', { bare: true }) ?? 'https://api.stripe.com',
    };
  }
  const organizationId = read.text('POLAR_ORGANIZATION_ID');
  return {
    kind,
    webhookSecrets,
    accessToken: needed(
      'POLAR_ACCESS_TOKEN',
      read.secret('POLAR_ACCESS_TOKEN'),
      'a token of the organization',
    ),
    organizationId: needed('POLAR_ORGANIZATION_ID', organizationId, 'the id of the organization'),
    plans: readPlans(read, needed('POLAR_PLANS', read.text('POLAR_PLANS'), 'the plan of each product')),
    apiUrl: read.url('POLAR_API_URL', { bare: true }) ?? 'https://api.polar.sh',
  };
}

/** Secrets separated by commas: the present one, and the next or last one during a rotation. */
function readSecrets(read: SettingsReader, name: string): readonly string[] {
  const secrets = (read.text(name) ?? '').split(',').map((part) => part.trim());
  const given = secrets.filter((part) => part !== '');
  if (given.length > 2 || given.some((secret) => !/^[!-~]{16,256}$/.test(secret))) {
    read.faults.push(
      `${name} must be one secret, or two with a comma between them, of 16 to 256 characters each`,
    );
  }
  return given;
}

function readPlans(read: SettingsReader, text: string): Readonly<Record<string, Plan>> {
  const pairs = text.split(',').flatMap((entry): [string, Plan][] => {
    const [, product = '', plan = ''] = /^\s*([\w-]{1,100})\s*=\s*(\w+)\s*$/.exec(entry) ?? [];
    if (isPlan(plan)) return [[product, plan]];
    if (entry.trim() !== '') {
      read.faults.push(
        `POLAR_PLANS: ${entry.trim()} must be the id of a product, = and one of ${PLANS.join(', ')}`,
      );
    }
    return [];
  });
  return Object.fromEntries(pairs);
}
