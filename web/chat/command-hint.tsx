/** Under the field: the commands that may be meant, or why what was written is none. */
import { COMMANDS, findCommands, type Misread } from "./read-command.ts";

export interface CommandHintProps {
  readonly id: string;
  readonly text: string;
  /** What was to be sent and cannot be carried out. */
  readonly misread: Misread | undefined;
}

export function CommandHint({ id, text, misread }: CommandHintProps) {
  return (
    <div className="command-hint" id={id} role="status">
      {misread === undefined ? <Found text={text} /> : <Fault {...misread} />}
    </div>
  );
}

function Found({ text }: { readonly text: string }) {
  const names = findCommands(text);
  if (names.length === 0) return null;
  return (
    <ul aria-label="Commands">
      {names.map((name) => {
        const { does, takes } = COMMANDS[name];
        return (
          <li key={name}>
            <span className="command-name">
              <span className="mono">/{name}</span>
              {takes === undefined ? null : <em className="command-words"> {takes}</em>}
            </span>
            <span>{does}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Fault({ fault, name }: Misread) {
  if (fault === "wordy") {
    return (
      <p>
        <span className="failed">/{name} takes no words.</span> Send it alone; with a space before the slash it is sent
        as it is.
      </p>
    );
  }
  const names = Object.keys(COMMANDS).map((each) => `/${each}`);
  return (
    <p>
      <span className="failed">There is no /{name}.</span> Commands: {names.join(", ")}. With a space before the slash
      it is sent as it is.
    </p>
  );
}
