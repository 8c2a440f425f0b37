# bash completion for macareu. The tool lists its verbs and options itself.
_macareu() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} tool=${COMP_WORDS[0]} names
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    names="$("$tool" --options 2>/dev/null | cut -f1) --help --version"
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
    return
  fi
  local options value
  options=$("$tool" --options "${COMP_WORDS[1]}" 2>/dev/null)
  value=$(awk -F'\t' -v name="$before" '$1 == name && $2 != "" { print $2 }' <<<"$options")
  if [[ $value == *[a-z]*"|"* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$word")
  elif [[ -z $value && $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(cut -f1 <<<"$options" | grep '^-') --help" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _macareu macareu
