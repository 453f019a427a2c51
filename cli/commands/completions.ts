// `shieldfive completions SHELL`: a completion script made from the definitions.

import { allCommands } from "../commands.ts";
import type { Environment } from "../environment.ts";
import { nearest } from "../../tools/input.ts";
import { quote } from "../../containment/mod.ts";
import { HELP, type Option, spelling } from "../options.ts";
import { parseWords } from "../parse.ts";
import { UsageError } from "../usage.ts";

/** One command as the scripts need it. */
interface Completed {
  name: string;
  brief: string;
  options: { spelled: string; does: string; takesValue: boolean; values: string[] }[];
  /** Words that may follow, in place of files. */
  operands: string[];
}

const SHELLS: Record<string, (commands: Completed[]) => string> = { bash, zsh, fish };

export async function completions(args: string[], environment: Environment): Promise<number> {
  const { operands: [shell, ...more] } = parseWords(args, [HELP]);
  const known = Object.keys(SHELLS);
  if (shell === undefined || more.length > 0 || !known.includes(shell)) {
    const near = shell === undefined ? undefined : nearest(shell, known);
    throw new UsageError(
      `completions needs one of ${known.join(", ")}` +
        (shell === undefined ? "" : `, not ${quote(shell, 40)}`) +
        (near === undefined ? "" : `; did you mean ${near}?`),
    );
  }
  environment.stdout.write(SHELLS[shell](await completedCommands()));
  return 0;
}

async function completedCommands(): Promise<Completed[]> {
  const commands = allCommands();
  const names = commands.map(({ words }) => words[0]);
  const operands: Record<string, string[]> = { help: names, completions: Object.keys(SHELLS) };
  return await Promise.all(commands.map(async (command) => {
    const { own, common } = await command.options();
    return {
      name: command.words[0],
      brief: command.brief,
      options: [...own, ...common].map(completedOption),
      operands: operands[command.words[0]] ?? [],
    };
  }));
}

function completedOption(option: Option): Completed["options"][number] {
  const { kind } = option;
  const values = kind.type === "choice"
    ? kind.choices
    : kind.type === "list"
    ? [...kind.words, ...kind.choices]
    : [];
  return {
    spelled: spelling(option),
    does: option.does,
    takesValue: kind.type !== "switch",
    values,
  };
}

/** A word or text in single quotes, as all three shells take it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function bash(commands: Completed[]): string {
  const cases = commands.map(({ name, options, operands }) => {
    const values = options.filter(({ values }) => values.length > 0).map(({ spelled, values }) =>
      `        ${spelled}) words=${quoted(values.join(" "))} ;;`
    );
    const spelled = options.map((option) => option.spelled).join(" ");
    return `    ${name})
      case $previous in
${[...values, `        ${takers(options) || "''"}) return ;;`].join("\n")}
        *) [[ $current == -* ]] && words=${quoted(spelled)} || words=${
      quoted(operands.join(" "))
    } ;;
      esac ;;`;
  });
  return `# bash completion for shieldfive; put this into your .bashrc:
#   source <(shieldfive completions bash)
_shieldfive() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words=${quoted([...commands.map(({ name }) => name), "--help", "--version"].join(" "))}
  else
    case \${COMP_WORDS[1]} in
${cases.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _shieldfive shieldfive
`;
}

/** The options whose value is anything, as one pattern. */
function takers(options: Completed["options"]): string {
  return options.filter(({ takesValue, values }) => takesValue && values.length === 0)
    .map(({ spelled }) => spelled).join("|");
}

function zsh(commands: Completed[]): string {
  // In a description brackets and colons mean something to zsh.
  const plain = (text: string) => text.replaceAll(/[[\]:]/g, "\\$&");
  const cases = commands.map(({ name, options, operands }) => {
    const specs = options.map(({ spelled, does, takesValue, values }) => {
      const action = values.length > 0 ? `(${values.join(" ")})` : "_files";
      return quoted(`*${spelled}[${plain(does)}]${takesValue ? `:value:${action}` : ""}`);
    });
    const rest = quoted(`*:operand:${operands.length > 0 ? `(${operands.join(" ")})` : "_files"}`);
    return `    ${name}) _arguments ${[...specs, rest].join(" \\\n      ")} ;;`;
  });
  const described = commands.map(({ name, brief }) => `    ${quoted(`${name}:${plain(brief)}`)}`);
  return `#compdef shieldfive
# zsh completion for shieldfive; put this into a file called _shieldfive in a folder of your $fpath,
# or after compinit in your .zshrc: source <(shieldfive completions zsh)
_shieldfive() {
  local -a commands=(
${described.join("\n")}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _shieldfive ]]; then _shieldfive "$@"; else compdef _shieldfive shieldfive; fi
`;
}

function fish(commands: Completed[]): string {
  const lines = commands.flatMap(({ name, brief, options, operands }) => {
    const here = `complete -c shieldfive -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c shieldfive -n __fish_use_subcommand -f -a ${name} -d ${quoted(brief)}`,
      ...options.map(({ spelled, does, takesValue, values }) => {
        const value = !takesValue
          ? ""
          : values.length === 0
          ? " -r"
          : ` -x -a ${quoted(values.join(" "))}`;
        return `${here} -l ${spelled.slice(2)}${value} -d ${quoted(does)}`;
      }),
      ...(operands.length === 0 ? [] : [`${here} -f -a ${quoted(operands.join(" "))}`]),
    ];
  });
  return [
    "# fish completion for shieldfive; put this into",
    "#   ~/.config/fish/completions/shieldfive.fish",
    ...lines,
  ]
    .join("\n") + "\n";
}
