// Completion for zsh: a function with all words in it and what they mean.

import { type CompletedCommand, type CompletedOption, quote } from './words.ts';

/** For a file `_freehold` in a folder of $fpath, or to be sourced after compinit. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef freehold
# Completion of freehold for zsh: source <(freehold completion zsh), after compinit.

_freehold_words() {
  case $1 in
${commands.map(wordCase).join('\n')}
  esac
}

_freehold_values() {
  case $1 in
${valueCases(commands).join('\n')}
    *) values=() ;;
  esac
}

${BODY}`;
}

/** `name:what it is`, as _describe reads it. */
const described = (name: string, about: string): string =>
  quote(`${name.replaceAll(':', '\\:')}:${about.replaceAll(':', '\\:')}`);

function wordCase({ path, commands, options, takesFiles }: CompletedCommand): string {
  const list = (entries: readonly string[]) => entries.map((entry) => `\n        ${entry}`).join('');
  const valued = options.filter(({ values }) => values !== null).map(({ flag }) => quote(flag));
  return `    ${quote(path)})
      commands=(${list(commands.map(({ name, about }) => described(name, about)))})
      options=(${list(options.map(({ flag, about }) => described(flag, about)))})
      valued=(${valued.join(' ')}) files=${takesFiles ? '1' : ''} ;;`;
}

function valueCases(commands: readonly CompletedCommand[]): string[] {
  const cases = new Map<string, string[]>();
  for (const { path, options } of commands)
    for (const option of options) {
      const set = valuesOf(option);
      if (set !== null) cases.set(set, [...(cases.get(set) ?? []), quote(`${path} ${option.flag}`)]);
    }
  return [...cases].map(([set, names]) => `    ${names.join('|')}) ${set} ;;`);
}

function valuesOf({ values, isList, isFile }: CompletedOption): string | null {
  if (isFile) return 'values=() kind=files';
  if (values === null || values.length === 0) return null;
  return `values=(${values.map(quote).join(' ')}) kind=${isList ? 'list' : 'one'}`;
}

const BODY = `_freehold() {
  local current=\${words[CURRENT]} previous= current_path=freehold word kind=
  local -a commands options valued values names
  local files=
  integer i
  _freehold_words "$current_path"
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    previous=
    if [[ $word == -* ]]; then
      if (( \${valued[(Ie)$word]} )); then
        previous=$word
        ((i++))
      fi
    else
      names=("\${(@)commands%%:*}")
      if (( \${names[(Ie)$word]} )); then
        current_path="$current_path $word"
        _freehold_words "$current_path"
      fi
    fi
  done
  if [[ -z $previous || $i -le $CURRENT ]]; then
    previous=
    # --option=value is one word.
    if [[ $current == --*=* ]]; then
      previous=\${current%%=*}
      compset -P '*='
    fi
  fi
  if [[ -n $previous ]]; then
    _freehold_values "$current_path $previous"
    if [[ $kind == files ]]; then
      _files
    elif [[ $kind == list ]]; then
      compset -P '*,'
      compadd -S '' -a values
    else
      compadd -a values
    fi
    return
  fi
  if [[ $current == -* ]]; then
    _describe 'option' options
  elif [[ -n $files ]]; then
    _files
  else
    _describe 'command' commands
  fi
}

if [[ $funcstack[1] == _freehold ]]; then
  _freehold "$@"
else
  compdef _freehold freehold
fi
`;
