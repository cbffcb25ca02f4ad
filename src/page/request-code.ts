// A request of the API as people paste it: for curl, and for JavaScript. Browsers use it too.

export type RequestParameters = readonly (readonly [name: string, value: string])[];

/** For a shell. */
export function curlCode(url: string, parameters: RequestParameters): string {
  const data = parameters.map(([name, value]) => ` \\\n  ${curlData(name, value)}`);
  return `curl -G ${url}${data.join('')}`;
}

/** `curl -G` sends what follows `-d` as it stands: what a URL cannot carry has to be encoded. */
const curlData = (name: string, value: string): string =>
  /^[\w.,:-]+$/.test(value)
    ? `-d ${name}=${value}`
    : `--data-urlencode ${name}='${value.replaceAll("'", "'\\''")}'`;

/** For JavaScript, in modules. */
export function fetchCode(url: string, parameters: RequestParameters): string {
  const members = parameters.map(([name, value]) => `  ${name}: '${value.replace(/['\\]/g, '\\$&')}',\n`);
  return `const query = new URLSearchParams({
${members.join('')}});
const response = await fetch(
  \`${url}?\${query}\`,
);
const { data, total } = await response.json();`;
}

/** A line of such code that is a parameter: what is before it, its name, what separates it, its value, and the end of the line. */
export interface ParameterLine {
  readonly start: string;
  readonly name: string;
  readonly sign: string;
  readonly value: string;
  readonly end: string;
}

const PARAMETER = /^(\s+(?:-d |--data-urlencode )?)(\w+)(=|: )(.+?)( \\|,)?$/;

/** Null for a line that is no parameter. */
export function parameterLine(line: string): ParameterLine | null {
  const [, start = '', name, sign = '', value = '', end = ''] = PARAMETER.exec(line) ?? [];
  return name === undefined ? null : { start, name, sign, value, end };
}
