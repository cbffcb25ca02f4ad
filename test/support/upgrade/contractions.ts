// Reader of migrations: the statements by which a schema loses something that a former release may use.

/** Names of the tables, views, types and functions that a text creates, in lower case. */
export function tablesOf(text: string): readonly string[] {
  return statementsOf(text).flatMap(
    (statement) =>
      /^create (?:or replace )?(?:unlogged )?(?:table|view|materialized view|type|function|procedure) (?:if not exists )?(\w+)/.exec(
        statement,
      )?.[1] ?? [],
  );
}

/** The statements that take something away from a table or function that `released` names. */
export function findContractions(text: string, released: ReadonlySet<string>): readonly string[] {
  return statementsOf(text).filter((statement) => contracts(statement, released));
}

function contracts(statement: string, released: ReadonlySet<string>): boolean {
  const [, altered = '', actions = ''] =
    /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(statement) ?? [];
  if (altered !== '') return released.has(altered) && actionsOf(actions).some(isContracting);
  // An index may be what makes rows unique; its name does not say of which table it is.
  if (/^drop index\b/.test(statement)) return true;
  const [, unique = ''] = /^create unique index .*? on (?:only )?(\w+)/.exec(statement) ?? [];
  if (unique !== '') return released.has(unique);
  const [, replaced = ''] = /^create or replace (?:function|procedure|view) (\w+)/.exec(statement) ?? [];
  if (replaced !== '') return released.has(replaced);
  const [, names = ''] = /^drop \w+(?: view)? (?:if exists )?(.*)$/.exec(statement) ?? [];
  return names.split(/\W+/).some((name) => released.has(name));
}

function isContracting(action: string): boolean {
  if (/^(?:drop|rename)\b/.test(action)) return true;
  if (/^add (?:constraint|primary|unique|check|foreign|exclude)\b/.test(action)) return true;
  if (/^add\b/.test(action)) return /\bnot null\b/.test(action) && !/\bdefault\b|\bgenerated\b/.test(action);
  return /^alter (?:column )?\w+ (?:set not null|drop default|(?:set data )?type)\b/.test(action);
}

/** The actions of one statement: separated by commas that stand outside of parentheses. */
function actionsOf(text: string): readonly string[] {
  const actions = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) actions.push('');
    else actions.push(`${actions.pop()}${character}`);
  }
  return actions.map((action) => action.trim());
}

/** Statements in lower case and on one line, without comments, and with nothing in their texts and bodies. */
function statementsOf(text: string): readonly string[] {
  return text
    .replaceAll(/'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*/g, (found) =>
      found.startsWith('--') ? '' : "''",
    )
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((statement) => statement !== '');
}
