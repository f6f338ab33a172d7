/** Under the field: the commands that may be meant, or that there is none of that name. */
import { COMMANDS, findCommands } from "./read-command.ts";

export interface CommandHintProps {
  readonly id: string;
  readonly text: string;
  /** What was to be sent and is no command. */
  readonly unknown: string | undefined;
}

export function CommandHint({ id, text, unknown }: CommandHintProps) {
  return (
    <div className="command-hint" id={id} role="status">
      {unknown === undefined ? <Found text={text} /> : <Unknown name={unknown} />}
    </div>
  );
}

function Found({ text }: { readonly text: string }) {
  const names = findCommands(text);
  if (names.length === 0) return null;
  return (
    <ul aria-label="Commands">
      {names.map((name) => (
        <li key={name}>
          <span className="mono">/{name}</span> <span>{COMMANDS[name]}</span>
        </li>
      ))}
    </ul>
  );
}

function Unknown({ name }: { readonly name: string }) {
  const names = Object.keys(COMMANDS).map((each) => `/${each}`);
  return (
    <p>
      <span className="failed">There is no /{name}.</span> Commands: {names.join(", ")}. With a space before the slash
      it is sent as it is.
    </p>
  );
}
