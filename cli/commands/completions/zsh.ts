// The completion script for zsh, which is both a file for a folder of $fpath and text to be sourced. What
// fits a place, and the names of files in it, is left to the functions that come with zsh.

import type {
  CompletedCommand,
  CompletedOperand,
  CompletedOption,
  Grammar,
  Offer,
} from "./grammar.ts";
import { singleQuoted } from "./quoting.ts";
import { TRASH_NAME } from "../../../containment/mod.ts";

export function zshScript(grammar: Grammar): string {
  return [HEAD, entryFunction(grammar), nextFunction(grammar), SUPPORT].join("\n");
}

/** Finds the command that the line begins with, and leaves what may follow to `_arguments`. */
function entryFunction({ steps, commands, options }: Grammar): string {
  const known = commands.map(({ name }) => singleQuoted(name)).join("|");
  const begun = steps.map(({ after }) => singleQuoted(after)).join("|");
  const overall = options.flatMap(({ name, letter, does }) =>
    [name, `-${letter}`].map((spelled) => `      ${pair(spelled, does)}`)
  );
  return `_shieldfive() {
  local node command curcontext=$curcontext
  local -i at=1 last=1 result=1
  while (( ++at < CURRENT )); do
    node+="\${node:+ }\${(Q)words[at]}"
    case $node in
      (${known}) command=$node last=$at ;;
      (${begun}) ;;
      (*) break ;;
    esac
  done
  if (( CURRENT == 2 )) && [[ $PREFIX == -* ]]; then
    local -a overall=(
${overall.join("\n")}
    )
    _describe -o option overall
    return
  fi
  (( at == CURRENT )) && [[ $PREFIX != -* ]] && _shieldfive_next "$node" && result=0
  # The words after the command may be the beginning of a longer name.
  [[ -n $command ]] && (( at < CURRENT || last == at - 1 || result )) || return result
  words=( "$command" "\${(@)words[last + 1,-1]}" )
  (( CURRENT -= last - 1 ))
  curcontext="\${curcontext%:*:*}:shieldfive-\${command// /-}:"
  case $command in
${commands.map(commandCase).join("\n")}
  esac
  return result
}
`;
}

function nextFunction({ steps }: Grammar): string {
  const cases = steps.map(({ after, next }) => {
    const described = next.map(({ word, does }) => `        ${pair(word, does)}`);
    return `    (${singleQuoted(after)})\n      next=(\n${described.join("\n")}\n      )\n      ;;`;
  });
  return `# Offers the words that may follow these words of a command's name.
_shieldfive_next() {
  local -a next
  case $1 in
${cases.join("\n")}
    (*) return 1 ;;
  esac
  _describe -t commands command next
}
`;
}

function commandCase({ name, options, operands, namesCommand }: CompletedCommand): string {
  const specifications = [
    ...options.flatMap(optionSpecifications),
    ...operands.map(operandSpecification),
    ...(namesCommand ? ["'*::command:_shieldfive_named'"] : []),
  ];
  return `    (${singleQuoted(name)})
      _arguments -s -S : \\
${specifications.map((each) => `        ${each}`).join(" \\\n")} && result=0
      ;;`;
}

/** One for the long and one for the letter, each of which excludes the other. */
function optionSpecifications(option: CompletedOption): string[] {
  const { name, letter, does, value, repeatable } = option;
  const text = `[${does.replaceAll(/[[\]\\:]/g, "\\$&")}]` +
    (value === undefined ? "" : `:${plain(value.name)}:${action(value.offers)}`);
  const long = name + (value === undefined ? "" : "=");
  const before = repeatable ? "*" : letter === undefined ? "" : `(${name} -${letter})`;
  const short = value === undefined ? `-${letter}` : `-${letter}+`;
  return [
    singleQuoted(before + long + text),
    ...(letter === undefined ? [] : [singleQuoted(before + short + text)]),
  ];
}

function operandSpecification({ name, offers, many }: CompletedOperand, index: number): string {
  return singleQuoted(`${many ? "*" : index + 1}:${plain(name)}:${action(offers)}`);
}

function action(offers: Offer[]): string {
  const [first, ...more] = offers.map(functionFor);
  if (first === undefined) return " ";
  if (more.length === 0) return first;
  const choices = offers.map((offer, i) => `"${offer.kind}:${offer.kind}:${[first, ...more][i]}"`);
  return `_alternative ${choices.join(" ")}`;
}

function functionFor(offer: Offer): string {
  switch (offer.kind) {
    case "path":
      return "_shieldfive_disk";
    case "folder":
      return "_shieldfive_disk -/";
    case "batch":
      return "_shieldfive_batches";
    case "words":
      return `(${offer.words.join(" ")})`;
    case "list":
      return `_sequence compadd - ${offer.words.join(" ")}`;
  }
}

/** A word with what it does, as \`_describe\` takes them. */
function pair(word: string, does: string): string {
  return singleQuoted(`${plain(word)}:${plain(does)}`);
}

/** A text in which nothing is special. */
function plain(text: string): string {
  return text.replaceAll(/[\\:]/g, "\\$&");
}

const HEAD = `#compdef shieldfive
# zsh completion for shieldfive, made by \`shieldfive completions zsh\`.
# \`shieldfive completions --help\` says where it goes.
`;

const SUPPORT = `# Offers the commands as operands.
_shieldfive_named() {
  _shieldfive_next "\${(j: :)\${(Q)words[1,CURRENT - 1]}}"
}

# Offers files, or with -/ folders. What begins with a dash is an operand only after a --.
_shieldfive_disk() {
  [[ $PREFIX == -* && -z $IPREFIX ]] && (( words[(i)--] >= CURRENT )) && return 1
  _files "$@"
}

# Offers the batches in the nearest trash, at or above the current folder, newest first.
_shieldfive_batches() {
  local folder=\${PWD%/}
  while [[ ! -d $folder/${TRASH_NAME} && -n $folder ]]; do folder=\${folder%/*}; done
  local -a batches=( $folder/${TRASH_NAME}/[0-9]##-[0-9-]##T[A-Za-z0-9-]##(N/On:t) )
  _wanted -V batches expl batch compadd -a batches
}

if [[ $funcstack[1] == _shieldfive ]]; then
  _shieldfive "$@"
else
  compdef _shieldfive shieldfive
fi
`;
