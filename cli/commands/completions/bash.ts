// The completion script for bash. It keeps to what bash 3.2 knows, which macOS ships, and is the same
// with and without the bash-completion package. Completing runs no program and expands nothing that was
// typed. Names of files are left to readline, which knows how to quote them.

import type { CompletedCommand, CompletedOption, Grammar, Offer } from "./grammar.ts";
import { singleQuoted } from "./quoting.ts";
import { TRASH_NAME } from "../../../containment/mod.ts";

export function bashScript({ steps, commands, options }: Grammar): string {
  const next = steps.map(({ after, next }) =>
    `    ${singleQuoted(after)}) words=${joined(next.map(({ word }) => word))} ;;`
  );
  return `${HEAD}
# Sets \`words\` to the words that may follow these words of a command's name.
_shieldfive_next() {
  words=''
  case $1 in
${next.join("\n")}
  esac
}

# Sets what may be said to a command, and what fits one place of it: the value of an option, or the
# operand of a number. Fails where there is no such command.
_shieldfive_command() {
  options='' letters='' repeatable='' takes='' words=''
  case $1 in
    '')
${said(options)}
      ;;
${commands.map(commandCase).join("\n")}
    *) return 1 ;;
  esac
}
${READING}${OFFERING}`;
}

function commandCase(command: CompletedCommand): string {
  const places = placesOf(command).map(([places, sets]) => `        ${places}) ${sets} ;;`);
  return `    ${singleQuoted(command.name)})
${said(command.options)}
      case \${2-} in
${places.join("\n")}
      esac
      ;;`;
}

function said(options: CompletedOption[]): string {
  const letters = options.filter(({ letter }) => letter !== undefined);
  return [
    `      options=${joined(options.map(({ name }) => name))}`,
    `      letters=${joined(letters.map(({ letter, name }) => letter + name))}`,
    `      repeatable=${joined(options.filter((o) => o.repeatable).map(({ name }) => name))}`,
  ].join("\n");
}

/** The places of a command by what is offered there, with what the script then sets. */
function placesOf(
  { options, operands, namesCommand }: CompletedCommand,
): [places: string, sets: string][] {
  const places = new Map<string, string[]>();
  const add = (offers: Offer[], place: string) => {
    const sets = setFor(offers);
    places.set(sets, [...places.get(sets) ?? [], place]);
  };
  for (const { name, value } of options) if (value !== undefined) add(value.offers, name);
  const ordered: [string, string][] = [];
  for (const [i, { many, offers }] of operands.entries()) {
    // The first of the patterns that fit is the one that counts.
    ordered.push([many ? "[0-9]*" : String(i + 1), setFor(offers)]);
  }
  if (namesCommand) ordered.push(["[0-9]*", "takes='command'"]);
  return [
    ...[...places].map(([sets, names]): [string, string] => [names.join(" | "), sets]),
    ...ordered,
  ];
}

/** The first of several offers: a place for a batch offers paths too, where no batch fits. */
function setFor(offers: Offer[]): string {
  const [offer] = offers;
  if (offer === undefined) return "takes='text'";
  return "words" in offer
    ? `takes=${singleQuoted(offer.kind)} words=${joined(offer.words)}`
    : `takes=${singleQuoted(offer.kind)}`;
}

function joined(words: (string | undefined)[]): string {
  return singleQuoted(words.join(" "));
}

const HEAD = `# bash completion for shieldfive, made by \`shieldfive completions bash\`.
# \`shieldfive completions --help\` says where it goes.
`;

const READING = `
# Splits the line up to the cursor into whole words, in \`typed\`: bash gives them cut at = and : too.
_shieldfive_split() {
  local line=\${COMP_LINE:0:COMP_POINT} rest piece i
  typed=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=\${line#"\${line%%[![:space:]]*}"}
    piece=$rest
    ((i < COMP_CWORD)) && piece=\${COMP_WORDS[i]}
    if ((i > 0)) && [[ $rest == "$line" ]]; then
      typed[\${#typed[@]} - 1]=\${typed[\${#typed[@]} - 1]}$piece
    else
      typed[\${#typed[@]}]=$piece
    fi
    line=\${rest#"$piece"}
  done
}

# Finds the command that the line begins with: sets \`command\`, \`first\`, the number of the word
# after it, and \`names\`, the words that would make its name longer.
_shieldfive_find() {
  local i node=''
  for ((i = 1; i < last; i++)); do
    node=\${node:+$node }\${typed[i]}
    if _shieldfive_command "$node"; then
      command=$node first=$((i + 1))
    else
      _shieldfive_next "$node"
      [[ $words ]] || return 0
    fi
  done
  _shieldfive_next "$node"
  names=$words
}

# Reads the words between the command and the one at the cursor: sets \`given\` to the options,
# \`pending\` to the one that waits for its value, \`operands\`, the \`number\` of the next one, and
# \`ended\` after a --.
_shieldfive_read() {
  local i j word
  for ((i = first; i < last; i++)); do
    word=\${typed[i]}
    if [[ $pending ]]; then
      pending=''
    elif [[ $word == *[\\<\\>]* ]]; then
      [[ $word == *[\\<\\>] ]] && ((i++)) # the file of a redirection
    elif [[ $ended || $word != -?* ]]; then
      operands="$operands $word" number=$((number + 1))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == --* ]]; then
      _shieldfive_given "\${word%%=*}"
      [[ $takes && $word != *=* ]] && pending=$word
    else
      for ((j = 1; j < \${#word}; j++)); do
        _shieldfive_letter "\${word:j:1}" || break
        [[ $takes ]] || continue
        ((j == \${#word} - 1)) && pending=$option
        break
      done
    fi
  done
}

_shieldfive_given() {
  option=$1 given="$given $1 "
  _shieldfive_command "$command" "$option"
}

_shieldfive_letter() {
  local pair
  for pair in $letters; do
    if [[ $pair == "$1"--* ]]; then
      _shieldfive_given "\${pair#?}"
      return 0
    fi
  done
  return 1
}
`;

const OFFERING = `
# Offers the ones of these words that go on with what was typed.
_shieldfive_offer() {
  local word
  for word in $1; do
    [[ $word == "$value"* ]] && COMPREPLY[\${#COMPREPLY[@]}]=$before$word
  done
}

# Offers the options that were not given, or may be given again; the letters after a lone dash too.
_shieldfive_options() {
  local pair option
  _shieldfive_command "$command"
  for option in $options; do
    [[ $given == *" $option "* && " $repeatable " != *" $option "* ]] || _shieldfive_offer "$option"
  done
  [[ $value == - ]] || return 0
  for pair in $letters; do
    [[ $given == *" \${pair#?} "* ]] || _shieldfive_offer "-\${pair%%--*}"
  done
}

# Offers the words of a list that it does not have yet.
_shieldfive_list() {
  local word list=\${value%"\${value##*,}"}
  before=$before$list value=\${value##*,}
  for word in $words; do
    [[ ,$list == *",$word,"* ]] || _shieldfive_offer "$word"
  done
}

# Offers the batches in the nearest trash, at or above the current folder.
_shieldfive_batches() {
  local batch folder=\${PWD%/}
  while [[ ! -d $folder/${TRASH_NAME} ]]; do
    [[ $folder ]] || return 0
    folder=\${folder%/*}
  done
  for batch in "$folder/${TRASH_NAME}"/[0-9]*T*; do
    batch=\${batch##*/}
    [[ $batch == *[!A-Za-z0-9-]* ]] || _shieldfive_offer "$batch"
  done
}

# Leaves the word to readline. Before bash 4 that is asked for below, for all places.
_shieldfive_disk() {
  if type compopt >/dev/null 2>&1; then compopt "$@"; fi
}

# Offers what fits one place.
_shieldfive_place() {
  _shieldfive_command "$command" "$1"
  case $takes in
    words) _shieldfive_offer "$words" ;;
    list) _shieldfive_list ;;
    command)
      _shieldfive_next "\${operands# }"
      _shieldfive_offer "$words"
      ;;
    folder) _shieldfive_disk -o bashdefault -o plusdirs ;;
    path) _shieldfive_disk -o bashdefault -o default ;;
    batch)
      _shieldfive_batches
      ((\${#COMPREPLY[@]} > 0)) || _shieldfive_disk -o bashdefault -o default
      ;;
  esac
}

# $2 is what readline replaces: the word at the cursor, or a part of it.
_shieldfive() {
  local IFS=$' \\t\\n' typed last word value=$2 before=''
  local command='' first=1 names='' option='' pending='' operands='' number=1 ended='' given=''
  local options letters repeatable takes words
  COMPREPLY=()
  _shieldfive_split
  last=$((\${#typed[@]} - 1))
  ((last > 0)) || return 0
  word=\${typed[last]}
  _shieldfive_find
  _shieldfive_command "$command"
  _shieldfive_read
  if [[ $word == *[\\<\\>]* || \${typed[last - 1]} == *[\\<\\>] ]]; then
    _shieldfive_disk -o bashdefault -o default # a redirection
  elif [[ $pending ]]; then
    _shieldfive_place "$pending"
  elif [[ ! $ended && $word == --*=* ]]; then
    # Readline takes the whole word where = does not break words.
    [[ $value == --*=* ]] && before=\${value%%=*}= value=\${value#*=}
    _shieldfive_place "\${word%%=*}"
  elif [[ ! $ended && $word == -* ]]; then
    if [[ $command ]] || ((last == 1)); then _shieldfive_options; fi
  else
    _shieldfive_offer "$names"
    # The words after the command may be the beginning of a longer name.
    [[ $command && (! $names || $first -eq $last) ]] && _shieldfive_place "$number"
  fi
}

if type compopt >/dev/null 2>&1; then
  complete -F _shieldfive shieldfive
else
  complete -o default -F _shieldfive shieldfive
fi
`;
