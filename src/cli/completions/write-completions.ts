/** Scripts for bash, zsh and fish, generated from the tables of the commands. */
import { COMMANDS } from "../commands.ts";

interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly name: string; readonly takesValue: boolean; readonly help: string }[];
}

export async function writeCompletions(shell: "bash" | "zsh" | "fish"): Promise<string> {
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, load }]): Promise<CompletedCommand> => {
      const { options } = (await load()).command;
      const rows = Object.entries({ ...options, help: { help: "Show the help.", value: undefined } });
      return {
        name,
        summary,
        options: rows.map(([option, { value, help }]) => ({ name: option, takesValue: value !== undefined, help })),
      };
    }),
  );
  return WRITERS[shell](commands);
}

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish };

function writeBash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${options.map((option) => `--${option.name}`).join(" ")}" ;;`,
  );
  return [
    "_palimpsest() {",
    `  local current="\${COMP_WORDS[COMP_CWORD]}" words=""`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$current"))`,
    "    return",
    "  fi",
    `  case "\${COMP_WORDS[1]}" in`,
    ...cases,
    "  esac",
    '  case "$current" in -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;; esac',
    "}",
    "complete -o default -F _palimpsest palimpsest",
  ].join("\n");
}

function writeZsh(commands: readonly CompletedCommand[]): string {
  const quote = (text: string) => text.replaceAll("'", "'\\''").replaceAll(/[:[\]]/g, "\\$&");
  const cases = commands.map(({ name, options }) => {
    const specs = options.map(
      (option) => `'--${option.name}[${quote(option.help)}]${option.takesValue ? ":value:_files" : ""}'`,
    );
    return `    ${name}) _arguments ${specs.join(" ")} '*:file:_files' ;;`;
  });
  return [
    "#compdef palimpsest",
    "_palimpsest() {",
    "  if (( CURRENT == 2 )); then",
    "    local -a commands=(",
    ...commands.map(({ name, summary }) => `      '${name}:${quote(summary)}'`),
    "    )",
    "    _describe command commands",
    "    return",
    "  fi",
    `  local name="\${words[2]}"`,
    "  shift words",
    "  (( CURRENT -= 1 ))",
    '  case "$name" in',
    ...cases,
    "  esac",
    "}",
    'if [ "$funcstack[1]" = "_palimpsest" ]; then _palimpsest "$@"; else compdef _palimpsest palimpsest; fi',
  ].join("\n");
}

function writeFish(commands: readonly CompletedCommand[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c palimpsest -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
    ...options.map(
      (option) =>
        `complete -c palimpsest -n '__fish_seen_subcommand_from ${name}' -l ${option.name}${option.takesValue ? " -r" : ""} -d ${quote(option.help)}`,
    ),
  ]);
  return lines.join("\n");
}
