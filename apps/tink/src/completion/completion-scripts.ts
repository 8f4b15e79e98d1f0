/** The completion scripts of shells. Each calls `tink __complete` with the words up to the cursor. */

export const shells = ['bash', 'zsh', 'fish'] as const;

/**
 * Shells do not expand an alias that a script calls through a variable. The script therefore evaluates the alias text, which the
 * user wrote, and quotes the typed words. It also completes aliases of `tink` that exist when it is read.
 */
const bash = String.raw`_tink() {
  local IFS=$'\n' name=${'$'}{COMP_WORDS[0]} words
  printf -v words ' %q' "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}"
  [[ -v BASH_ALIASES[$name] ]] && name=${'$'}{BASH_ALIASES[$name]} || printf -v name %q "$name"
  COMPREPLY=($(eval "$name __complete -- $words" 2>/dev/null))
}
_tink_names() {
  local name first
  complete -F _tink tink
  for name in "${'$'}{!BASH_ALIASES[@]}"; do
    first=${'$'}{BASH_ALIASES[$name]%% *}
    [[ ${'$'}{first##*/} == tink ]] && complete -F _tink "$name"
  done
  return 0
}
_tink_names
`;

/** Works as a file in a folder of $fpath, where the file is the function itself at the first Tab, and by source. */
const zsh = String.raw`#compdef tink
_tink() {
  local -a found
  local name=${'$'}{aliases[$words[1]]:-${'$'}{(q)words[1]}}
  found=(${'$'}{(f)"$(eval "$name __complete -- ${'$'}{(j: :)${'$'}{(@qq)words[2,CURRENT]}}" 2>/dev/null)"})
  compadd -a found
}
if [[ ${'$'}{funcstack[1]} == _tink ]]; then
  _tink
else
  (( ${'$'}{+functions[compdef]} )) || { autoload -Uz compinit && compinit }
  compdef _tink tink
fi
`;

/** An alias in fish is a function that wraps `tink`, and is completed with it. */
const fish = `complete -c tink -f -a '(tink __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

/** The script of each shell. */
export const completionScripts: Readonly<Record<(typeof shells)[number], string>> = { bash, zsh, fish };
