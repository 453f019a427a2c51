// The completion script for fish: a declaration for each option and operand, which holds in its place.

import type { CompletedCommand, CompletedOption, Grammar, Offer } from "./grammar.ts";
import { fishQuoted } from "./quoting.ts";
import { TRASH_NAME } from "../../../containment/mod.ts";

export function fishScript(grammar: Grammar): string {
  const { steps, commands, options } = grammar;
  const overall = options.map((option) =>
    declaration("__shieldfive_next ''", spelled(option), does(option.does))
  );
  const next = steps.flatMap(({ after, next }) =>
    next.map(({ word, does: text }) =>
      declaration(
        `__shieldfive_next ${fishQuoted(after)}`,
        `-a ${fishQuoted(word)}`,
        does(text),
      )
    )
  );
  return `${HEAD}
function __shieldfive_is_command
    contains -- "$argv" ${names(commands)}
end

# The words with which longer names begin.
function __shieldfive_begins_names
    contains -- "$argv" ${names(steps.map(({ after }) => ({ name: after })))}
end

# The commands whose operands are the words of another one.
function __shieldfive_names_command
    contains -- "$argv" ${names(commands.filter(({ namesCommand }) => namesCommand))}
end

function __shieldfive_takes_value
    contains -- "$argv" ${commands.flatMap(takers).map(fishQuoted).join(" ")}
end

# The long form of a command's letter.
function __shieldfive_long
    switch "$argv"
${longs(commands).join("\n")}
    end
end
${READING}${OFFERING}
complete -c shieldfive -f
${
    [...overall, ...next, ...optionDeclarations(commands), ...operandDeclarations(commands)].join(
      "\n",
    )
  }
`;
}

function names(commands: { name: string }[]): string {
  return commands.map(({ name }) => /^\w+$/.test(name) ? name : fishQuoted(name)).join(" ");
}

/** Each option that takes a value, after its command. */
function takers({ name, options }: CompletedCommand): string[] {
  return options.filter(({ value }) => value !== undefined).map((o) => `${name} ${o.name}`);
}

function longs(commands: CompletedCommand[]): string[] {
  const byLong = new Map<string, string[]>();
  for (const { name, options } of commands) {
    for (const { name: long, letter } of options) {
      if (letter === undefined) continue;
      byLong.set(long, [...byLong.get(long) ?? [], fishQuoted(`${name} ${letter}`)]);
    }
  }
  return [...byLong].map(([long, cases]) =>
    `        case ${cases.join(" ")}\n            printf '%s\\n' ${long}`
  );
}

/** One for all the commands in which an option is the same. */
function optionDeclarations(commands: CompletedCommand[]): string[] {
  const holders = new Map<string, { option: CompletedOption; of: CompletedCommand[] }>();
  for (const command of commands) {
    for (const option of command.options) {
      const key = JSON.stringify(option);
      const holder = holders.get(key) ?? { option, of: [] };
      holders.set(key, holder);
      holder.of.push(command);
    }
  }
  return [...holders.values()].map(({ option, of }) => {
    const which = option.repeatable ? "--repeatable" : option.name;
    return declaration(
      `__shieldfive_option ${which} ${names(of)}`,
      spelled(option),
      option.value === undefined ? "" : valueOf(option.value.offers),
      does(option.does),
    );
  });
}

function operandDeclarations(commands: CompletedCommand[]): string[] {
  const holders = new Map<string, { which: string; offer: Offer; of: CompletedCommand[] }>();
  for (const command of commands) {
    for (const [i, { offers, many }] of command.operands.entries()) {
      const which = `${i + 1} ${many ? "more" : "only"}`;
      for (const offer of offers) {
        const key = JSON.stringify([which, offer]);
        const holder = holders.get(key) ?? { which, offer, of: [] };
        holders.set(key, holder);
        holder.of.push(command);
      }
    }
  }
  return [...holders.values()].map(({ which, offer, of }) =>
    declaration(`__shieldfive_operand ${which} ${names(of)}`, offered(offer))
  );
}

/** A line of the script. Nothing of it is a file, unless a part says so. */
function declaration(condition: string, ...parts: string[]): string {
  const words = ["complete -c shieldfive -n", fishQuoted(condition), ...parts];
  return words.filter((word) => word !== "").join(" ");
}

function spelled({ name, letter }: CompletedOption): string {
  return `${letter === undefined ? "" : `-s ${letter} `}-l ${name.slice(2)}`;
}

function does(text: string): string {
  return text === "" ? "" : `-d ${fishQuoted(text)}`;
}

/** The value of an option, which is required. */
function valueOf([offer]: Offer[]): string {
  if (offer === undefined) return "-x";
  return offer.kind === "path" ? "-r -F" : `-x ${offered(offer)}`;
}

function offered(offer: Offer): string {
  switch (offer.kind) {
    case "path":
      return "-F";
    case "folder":
      return "-a '(__shieldfive_folders | string split0)'";
    case "batch":
      return "-k -a '(__shieldfive_batches)'";
    case "words":
      return `-a ${fishQuoted(offer.words.join(" "))}`;
    case "list":
      return `-a ${fishQuoted(`(__shieldfive_list ${offer.words.join(" ")})`)}`;
  }
}

const HEAD = `# fish completion for shieldfive, made by \`shieldfive completions fish\`.
# \`shieldfive completions --help\` says where it goes.
`;

const READING = `
# Reads the line up to the word at the cursor: its \`command\`, the options \`given\`, the one \`pending\`
# that waits for its value, whether they \`ended\` with a --, the \`operands\`, and \`names\`, the words so
# far of a command's name.
function __shieldfive_read
    set -l words (commandline -opc)
    set -e words[1]
    set -g __shieldfive_command
    set -g __shieldfive_given
    set -g __shieldfive_pending
    set -g __shieldfive_ended no
    set -g __shieldfive_operands
    set -g __shieldfive_names $words
    set -l rest $words
    set -l node
    while set -q words[1]
        set -a node $words[1]
        set -e words[1]
        if __shieldfive_is_command $node
            set __shieldfive_command "$node"
            set rest $words
        end
    end
    __shieldfive_read_rest $rest
    if __shieldfive_names_command $__shieldfive_command
        set __shieldfive_names $__shieldfive_operands
    end
end

function __shieldfive_read_rest
    for word in $argv
        if set -q __shieldfive_pending[1]
            set -a __shieldfive_given $__shieldfive_pending
            set __shieldfive_pending
        else if test $__shieldfive_ended = yes; or not string match -qr '^-.' -- $word
            set -a __shieldfive_operands $word
        else if test "$word" = --
            set __shieldfive_ended yes
        else if string match -q -- '--*=*' $word
            set -a __shieldfive_given (string replace -r '=.*' '' -- $word)
        else if string match -q -- '--*' $word
            __shieldfive_read_option $word
        else
            __shieldfive_read_letters (string split '' -- (string sub -s 2 -- $word))
        end
    end
end

function __shieldfive_read_option
    if __shieldfive_takes_value $__shieldfive_command $argv
        set __shieldfive_pending $argv
    else
        set -a __shieldfive_given $argv
    end
end

# The rest after a letter that takes a value is the value.
function __shieldfive_read_letters
    while set -q argv[1]; and not set -q __shieldfive_pending[1]
        __shieldfive_read_option (__shieldfive_long $__shieldfive_command $argv[1])
        set -e argv[1]
    end
    if set -q argv[1]
        set -a __shieldfive_given $__shieldfive_pending
        set __shieldfive_pending
    end
end

# True where these words of a command's name were typed and nothing else.
function __shieldfive_next
    __shieldfive_read
    test "$__shieldfive_names" = "$argv"
end

# True in one of the commands where the option was not given.
function __shieldfive_option --argument-names option
    __shieldfive_read
    contains -- "$__shieldfive_command" $argv[2..-1]
    and not contains -- $option $__shieldfive_given
end

# True in one of the commands at the operand of this number, or also at the ones after it. What begins
# with a dash is an operand only after a --.
function __shieldfive_operand --argument-names number more
    __shieldfive_read
    contains -- "$__shieldfive_command" $argv[3..-1]; or return
    not set -q __shieldfive_pending[1]; or return
    test "$__shieldfive_names" = "$__shieldfive_command"
    or not __shieldfive_begins_names $__shieldfive_names; or return
    test $__shieldfive_ended = yes; or not string match -q -- '-*' (commandline -ct); or return
    set -l at (math (count $__shieldfive_operands) + 1)
    test $at -eq $number; or test $more = more -a $at -gt $number
end
`;

const OFFERING = `
# The word at the cursor as it was typed, without the option that it is the value of.
function __shieldfive_word
    commandline -ct | string replace -r '^--[^=]+=' ''
end

# The folders that go on with that word, each with a NUL after it: names can hold line breaks. Fish would
# insert a name that begins with a tilde unquoted, so the tilde of one has to be typed, quoted.
function __shieldfive_folders
    set -l word (__shieldfive_word)
    for found in (complete --escape -C "__shieldfive_no_command $word")
        set -l folder (string unescape -- (string replace -r '\t.*' '' -- $found) | string collect)
        string match -q '*/' -- $folder; or continue
        test -z "$word"; and string match -q '~*' -- $folder; and continue
        printf '%s\\0' $folder
    end
end

# The words of a list that it does not have yet.
function __shieldfive_list
    set -l before (string replace -r '[^,]*$' '' -- (__shieldfive_word))
    for word in $argv
        contains -- $word (string split , -- $before); or printf '%s\\n' $before$word
    end
end

# The batches in the nearest trash, at or above the current folder, newest first.
function __shieldfive_batches
    set -l folder (string replace -r '/$' '' -- $PWD)
    while not test -d "$folder/${TRASH_NAME}"; and test -n "$folder"
        set folder (string replace -r '/[^/]*$' '' -- $folder)
    end
    set -l found $folder/${TRASH_NAME}/*/
    string match -r '[0-9][0-9-]*T[A-Za-z0-9-]+(?=/$)' -- $found[-1..1]
end
`;
