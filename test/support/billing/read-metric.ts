// Values of metrics as a service shows them.

/** The sum of a metric over the series with these labels; 0 if there is none. */
export async function readMetric(
  service: { readonly url: string },
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.split(/[{ ]/, 1)[0] === name && wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
