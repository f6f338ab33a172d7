/** Below the composer: commands that match the text, or why the text is not a valid command. */
import { COMMANDS, type CommandError, findCommands } from "./read-command.ts";

export interface CommandHintProps {
  readonly id: string;
  readonly text: string;
  /** Set after the user tried to send an invalid command. */
  readonly error: CommandError | undefined;
}

export function CommandHint({ id, text, error }: CommandHintProps) {
  return (
    <div className="command-hint" id={id} role="status">
      {error === undefined ? <CommandList text={text} /> : <CommandErrorText {...error} />}
    </div>
  );
}

function CommandList({ text }: { readonly text: string }) {
  const names = findCommands(text);
  if (names.length === 0) return null;
  return (
    <ul aria-label="Commands">
      {names.map((name) => {
        const { description, argument } = COMMANDS[name];
        return (
          <li key={name}>
            <span className="command-name">
              <span className="mono">/{name}</span>
              {argument === undefined ? null : <em className="command-argument"> {argument}</em>}
            </span>
            <span>{description}</span>
          </li>
        );
      })}
    </ul>
  );
}

const AS_TEXT = "To send it as a message, put a space before the slash.";

function CommandErrorText({ error, name }: CommandError) {
  if (error === "no-argument") {
    return (
      <p>
        <span className="failed">/{name} takes no text.</span> Send it alone. {AS_TEXT}
      </p>
    );
  }
  const names = Object.keys(COMMANDS).map((each) => `/${each}`);
  return (
    <p>
      <span className="failed">Unknown command /{name}.</span> Commands: {names.join(", ")}. {AS_TEXT}
    </p>
  );
}
