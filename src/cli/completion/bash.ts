// Completion for bash: a script with all words in it, so that a key press starts no program. It needs no package bash-completion.

import { type CompletedCommand, quote } from './words.ts';

/** To be sourced by bash 3.2 and newer. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const words = commands.flatMap(({ path, commands: below, options, takesFiles }) => [
    `    ${quote(path)})`,
    `      commands=${quote(below.map(({ name }) => name).join(' '))}`,
    `      options=${quote(options.map(({ flag }) => flag).join(' '))}`,
    `      valued=${quote(
      ` ${options
        .filter(({ values }) => values !== null)
        .map(({ flag }) => flag)
        .join(' ')} `,
    )}`,
    `      files=${takesFiles ? '1' : ''} ;;`,
  ]);
  return `# Completion of freehold for bash: source <(freehold completion bash)

_freehold_words() {
  case $1 in
${words.join('\n')}
  esac
}

_freehold_values() {
  case $1 in
${valueCases(commands).join('\n')}
    *) values= list= ;;
  esac
}

${BODY}`;
}

/** Options that are the same in several commands share a case. */
function valueCases(commands: readonly CompletedCommand[]): string[] {
  const cases = new Map<string, string[]>();
  for (const { path, options } of commands)
    for (const { flag, values, isList, isFile } of options) {
      if (!isFile && (values ?? []).length === 0) continue;
      const set = isFile
        ? 'values=FILES list='
        : `values=${quote((values ?? []).join(' '))} list=${isList ? '1' : ''}`;
      cases.set(set, [...(cases.get(set) ?? []), quote(`${path} ${flag}`)]);
    }
  return [...cases].map(([set, names]) => `    ${names.join('|')}) ${set} ;;`);
}

const BODY = `_freehold() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= path=freehold word option i
  local commands options valued files words values list prefix=
  _freehold_words "$path"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    previous=
    case $word in
      =) continue ;;
      -*)
        if [[ $valued == *" $word "* ]]; then
          previous=$word
          # bash parts --option=value in three.
          if [[ \${COMP_WORDS[i + 1]} == = ]]; then ((i++)); fi
          ((i++))
        fi ;;
      *)
        if [[ " $commands " == *" $word "* ]]; then
          path="$path $word"
          _freehold_words "$path"
        fi ;;
    esac
  done
  COMPREPLY=()
  if [[ -n $previous ]] && ((i > COMP_CWORD)); then
    [[ $current == = ]] && current=
    _freehold_values "$path $previous"
    if [[ $values == FILES ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
      return
    fi
    if [[ -n $list && $current == *,* ]]; then
      prefix=\${current%,*},
      current=\${current##*,}
    fi
    while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(compgen -W "$values" -- "$current")
    return
  fi
  if [[ $current == -* ]]; then
    words=$options
  else
    words=$commands
    if [[ -n $files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
      return
    fi
  fi
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}

complete -F _freehold freehold
`;
