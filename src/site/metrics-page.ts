// Owns the page about metrics: what each one means, and the rules that all of them follow.
import { type Html, html } from '../page/html.ts';
import { code, renderPage, wideTable } from './layout.ts';

/** What this page needs to know of a metric. */
export interface PrintedMetric {
  readonly id: string;
  readonly unit: string;
  readonly kind: string;
  readonly types: readonly string[];
  readonly formula: string;
}

export function metricsPage(metrics: readonly PrintedMetric[], minimumSample: number): string {
  return renderPage({
    name: 'metrics',
    title: 'What the figures mean',
    summary:
      'Every metric of the market with its formula in words, and the rules about periods, samples and changes.',
    content: html`${table(metrics)}${rules(minimumSample)}${moments()}`,
  });
}

const UNITS: Readonly<Record<string, string>> = {
  ...{ count: 'number', money: 'money', moneyPerArea: 'money per area', days: 'days', months: 'months' },
  ...{ share: 'part of 1', ratio: 'ratio', percent: 'percent' },
};

function table(metrics: readonly PrintedMetric[]): Html {
  const rows = metrics.map(
    ({ id, unit, types, formula }) => html`<tr id="${id}"><th scope="row"><code>${id}</code></th>
<td>${formula}</td><td>${UNITS[unit] ?? unit}</td><td>${types.length === 0 ? 'both together' : types.join(', ')}</td></tr>`,
  );
  return html`<section><h2>The metrics</h2>
${wideTable('The metrics', ['Metric', 'What it is', 'Unit', 'Of'], rows)}
<p>The same table for programs: <code>GET /v1/market/metrics</code>. With <code>_mom</code> or <code>_yoy</code> behind its
name, a metric is its own relative change since a month or a year before.</p></section>`;
}

function rules(minimumSample: number): Html {
  return html`<section><h2>What holds for all of them</h2><ul>
<li><strong>A period</strong> runs from the beginning of its first day up to, and not including, that of <code>to</code>, by the clocks of the area; where its time zone is not known, of UTC. Without dates it is the last full calendar month.</li>
<li><strong>Stock and events.</strong> Of what is on the market (inventory and active listings) a property counts once for each listing type, by its latest listing. Of what happens (new, pending, closed, delisted, sums) everything counts.</li>
<li><strong>A small sample</strong> is withheld: with fewer than ${minimumSample} observations, <code>value</code> is null and <code>suppressed</code> true. Counts and sums are never withheld. <code>n</code> says on how many observations the value rests, <code>excluded</code> how many others could not be measured, such as those without a price.</li>
<li><strong>Medians and quartiles</strong> (<code>p25</code>, <code>p75</code>) lie between two values where they must, as far along as their place is.</li>
<li><strong>Changes</strong> are relative (0.05 is five percent more) and come from values that are not rounded. <code>previous</code> is as many months before where the period is made of whole months, else as many days; <code>yearAgo</code> a year before, for whole weeks 52 weeks.</li>
<li><strong>Filters</strong> look at listings as they are known today; periods look at what they were then. Listings whose source forbids showing them are left out.</li>
<li>Rents are per month, whatever period the source states them for. </li>
<li><strong>Freshness</strong>: <code>meta.sources</code> names the sources whose listings are in the scope, each with when it last told something; <code>meta.dataAsOf</code> is that of the stalest.</li>
<li><strong>Money</strong> is of one currency, which <code>scope.currency</code> names: the one that <code>currency</code> asks for, else the only one among the listings of the scope. Where there are several, a 400 names them. Areas that are compared are each in their own.</li></ul></section>`;
}

function moments(): Html {
  return html`<section><h2>When something happened</h2><ul>
<li>A listing is on the market while it is <code>ACTIVE</code> or <code>ACTIVE_UNDER_CONTRACT</code>: from its date of coming on the market where the source gives one, else from when it was listed, else from when it was first seen here.</li>
<li>A change happened when the source says it did; where it does not say, when it was seen here.</li>
<li>A mere date means that day wherever the place is.</li>
<li>A listing of which only a closing is known counts as closed, and was never on the market as far as the figures know. A closing without a date is in no period.</li>
<li>A closed listing that never told what was asked takes no part in prices asked, nor in what was paid against what was asked.</li></ul>
${code(`curl '/v1/market/history?listingType=sale&areaId=…&metrics=median_list_price,inventory&periods=12'`)}</section>`;
}
