// Rules of version numbers, and of the changelog's sections.

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

type Numbers = readonly [major: number, minor: number, patch: number];

export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(than)];
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at !== -1 && (ours[at] ?? 0) > (theirs[at] ?? 0);
}

/** Whether a version may have these migrations beyond an earlier one: a patch has none, so that one can go back. */
export function fitsSchema(version: string, former: string, migrations: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(former)];
  const isPatch = ours[0] === theirs[0] && ours[1] === theirs[1];
  return !isPatch || migrations === '';
}

/** The dated section of a version, or why the changelog cannot be released with it. */
export function changelogSection(
  changelog: string,
  version: string,
): { readonly text: string; readonly date: string } | { readonly fault: string } {
  const sections = changelog.split(/^## /m).slice(1);
  const named = (name: string) =>
    sections.find((section) => section.startsWith(`[${name}]`) || section.startsWith(name));
  const [unreleased, own] = [named('Unreleased'), named(version)];
  if (unreleased === undefined) return { fault: 'CHANGELOG.md has no section "[Unreleased]".' };
  if (bodyOf(unreleased) !== '')
    return { fault: `CHANGELOG.md has changes under "Unreleased": move them to the section of ${version}.` };
  const [, date = ''] = /^\S+ - (\d{4}-\d{2}-\d{2})\n/.exec(own ?? '') ?? [];
  if (own === undefined || Number.isNaN(Date.parse(date)))
    return {
      fault: `CHANGELOG.md has no dated section of ${version}, such as "## [${version}] - 2026-11-28".`,
    };
  if (bodyOf(own) === '') return { fault: `CHANGELOG.md says nothing about ${version}.` };
  return { text: bodyOf(own), date };
}

function bodyOf(section: string): string {
  return section.slice(section.indexOf('\n') + 1).trim();
}

function numbersOf(version: string): Numbers {
  const [, major, minor, patch] = VERSION.exec(version) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}
