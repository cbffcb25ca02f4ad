// Page about metrics: the definition of each one, and the rules for all.
import { type Html, html } from '../page/html.ts';
import { code, renderPage, wideTable } from './layout.ts';

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
    title: 'Market metrics',
    summary: 'Every market metric with its formula in words, and the rules for periods, samples and changes.',
    content: html`${table(metrics)}${rules(minimumSample)}${eventDates()}`,
  });
}

const UNITS: Readonly<Record<string, string>> = {
  count: 'number',
  money: 'money',
  moneyPerArea: 'money per area',
  days: 'days',
  months: 'months',
  share: 'part of 1',
  ratio: 'ratio',
  percent: 'percent',
};

function table(metrics: readonly PrintedMetric[]): Html {
  const rows = metrics.map(
    ({ id, unit, types, formula }) => html`<tr id="${id}"><th scope="row"><code>${id}</code></th>
<td>${formula}</td><td>${UNITS[unit] ?? unit}</td><td>${types.length === 0 ? 'both combined' : types.map((type) => `${type}s`).join(', ')}</td></tr>`,
  );
  return html`<section><h2>The metrics</h2>
${wideTable('The metrics', ['Metric', 'What it is', 'Unit', 'Of'], rows)}
<p>The same table for programs: <code>GET /v1/market/metrics</code>. With the suffix <code>_mom</code> or <code>_yoy</code>,
a metric is its own relative change to the month or year before.</p></section>`;
}

function rules(minimumSample: number): Html {
  return html`<section><h2>Rules for all metrics</h2><ul>
<li><strong>A period</strong> runs from the start of its first day up to but excluding <code>to</code>, in the area's time zone, or in UTC if that is unknown. Default: the last full calendar month.</li>
<li><strong>Stock and events.</strong> In stock (inventory and active listings) a property counts once per listing type, by its latest listing. Every event (new, pending, closed, delisted, sums) counts.</li>
<li><strong>Small samples</strong> are suppressed: with fewer than ${minimumSample} observations, <code>value</code> is null and <code>suppressed</code> true. Counts and sums are never suppressed. <code>n</code> is the number of observations used, <code>excluded</code> the number that could not be measured, such as those without a price.</li>
<li><strong>Medians and quartiles</strong> (<code>p25</code>, <code>p75</code>) are interpolated linearly between two values.</li>
<li><strong>Changes</strong> are relative (0.05 is five percent more) and computed from unrounded values. <code>previous</code> compares with the same number of months before if the period consists of whole months, else of days; <code>yearAgo</code> with a year before, or 52 weeks for whole weeks.</li>
<li><strong>Filters</strong> use listings as they are known today; periods use their state then. Listings that their source forbids to show are excluded.</li>
<li>Rents are per month, whatever period the source uses.</li>
<li><strong>Freshness</strong>: <code>meta.sources</code> names the sources whose listings are in the scope, each with the time when it last sent data; <code>meta.dataAsOf</code> is that of the stalest.</li>
<li><strong>Money</strong> is in one currency, named in <code>scope.currency</code>: the requested <code>currency</code>, else the only one among the listings of the scope. If there are several, a 400 lists them. Compared areas each use their own.</li></ul></section>`;
}

function eventDates(): Html {
  return html`<section><h2>Dates of events</h2><ul>
<li>A listing is on the market while it is <code>ACTIVE</code> or <code>ACTIVE_UNDER_CONTRACT</code>: from its on-market date if the source states one, else from its listing date, else from when the service first saw it.</li>
<li>A change happened when the source says it did, else when the service noticed it.</li>
<li>A date without a time means that day in the time zone of the place.</li>
<li>A listing with only a closing counts as closed, but never as on the market. A closing without a date is in no period.</li>
<li>A closed listing without an asking price is excluded from asking prices and from sale-to-list ratios.</li></ul>
${code(`curl '/v1/market/history?listingType=sale&areaId=…&metrics=median_list_price,inventory&periods=12'`)}</section>`;
}
