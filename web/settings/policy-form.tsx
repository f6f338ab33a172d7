/** A policy in its own words, checked while it is written. It is kept only when somebody says so and the server may. */
import { type FormEvent, useEffect, useRef, useState } from "react";
import { sayError } from "../api/errors.ts";
import { type Fields, readFields } from "../api/fields.ts";
import { type Checked, checkPolicy, type Preset, type Settings, writePolicy } from "../api/settings.ts";
import { useDebounced, useSingle } from "../hooks/limit-calls.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { listDifferences, sayLoss } from "./policy-differences.ts";

export interface PolicyFormProps {
  readonly settings: Settings;
  readonly presets: readonly Preset[];
  /** The name of a policy that somebody has chosen already. */
  readonly wished?: string | undefined;
  /** Another policy holds from now on. */
  readonly onKept: () => void;
}

const REST_MS = 250;

export function PolicyForm({ settings, presets, wished, onKept }: PolicyFormProps) {
  const [text, setText] = useState(() => writePreset(wished ?? startName(settings.policy)));
  const [said, setSaid] = useState("");
  const rested = useDebounced(text, REST_MS);
  const { value: checked } = useLoaded(rested, (signal) => check(rested, signal));
  const single = useSingle();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const loss = checked?.type === "valid" ? sayLoss(settings.policy, checked.policy) : "";
  const warning = useRef<HTMLDivElement>(null);
  const isWished = wished !== undefined && loss !== "";
  useEffect(() => {
    // It was chosen elsewhere, and this is why it is asked about.
    if (isWished) warning.current?.scrollIntoView({ block: "center" });
  }, [isWished]);
  const isReady = rested === text && checked?.type === "valid" && (loss === "" || isConfirmed);
  const write = (words: string) => {
    setText(words);
    setSaid("");
    setIsConfirmed(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    void single("keep", () =>
      writePolicy(readFields(JSON.parse(text))).then(
        () => {
          setSaid("Kept. The next prompt follows it.");
          setIsConfirmed(false);
          onKept();
        },
        (error: unknown) => setSaid(sayError(error)),
      ),
    );
  };
  return (
    <form className="panel-part policy-form" onSubmit={submit}>
      <h3>Another policy</h3>
      <p className="panel-line preset-buttons">
        {presets.map(({ name }) => (
          <button key={name} type="button" onClick={() => write(writePreset(name))}>
            {name}
          </button>
        ))}
      </p>
      <label htmlFor="policy">A preset, and what should differ from it</label>
      <textarea
        id="policy"
        className="mono"
        rows={5}
        spellCheck={false}
        value={text}
        aria-describedby="policy-checked"
        aria-invalid={checked?.type === "invalid"}
        onChange={(event) => write(event.target.value)}
      />
      <div id="policy-checked" role="status" className="policy-checked">
        {checked === undefined ? null : <Verdict checked={checked} current={settings.policy} />}
        {said === "" ? null : <p>{said}</p>}
      </div>
      {loss === "" ? null : (
        <div className="warning" ref={warning}>
          <p>{loss}</p>
          {settings.isWritable ? (
            <label className="confirmation">
              <input type="checkbox" checked={isConfirmed} onChange={(event) => setIsConfirmed(event.target.checked)} />
              I want them to be deleted
            </label>
          ) : null}
        </div>
      )}
      {settings.isWritable ? (
        <button type="submit" className="primary" disabled={!isReady}>
          Keep it
        </button>
      ) : (
        <p className="aside">
          The policy is fixed here, so this is for trying only. It can be kept where one person runs the server with a
          configuration file and without <code>PALIMPSEST_POLICY</code>.
        </p>
      )}
    </form>
  );
}

/** What would change, which is also how somebody sees that a word did what it should. */
function Verdict({ checked, current }: { readonly checked: Checked; readonly current: Fields }) {
  if (checked.type === "invalid") return <p className="failed">{checked.message}</p>;
  const lines = listDifferences([current, checked.policy]);
  if (lines.length === 0) return <p>Valid. It is what holds now.</p>;
  return (
    <>
      <p>Valid. It would change:</p>
      <ul className="plain-list">
        {lines.map(({ key, values: [before, after] }) => (
          <li key={key}>
            <span className="mono">{key}</span>: {before} → {after}
          </li>
        ))}
      </ul>
    </>
  );
}

async function check(text: string, signal: AbortSignal): Promise<Checked> {
  try {
    const policy: unknown = JSON.parse(text);
    if (typeof policy !== "object" || policy === null || Array.isArray(policy)) {
      return { type: "invalid", message: 'Write an object, for example { "preset": "default" }.' };
    }
    return await checkPolicy(readFields(policy), signal);
  } catch (error) {
    if (error instanceof SyntaxError) return { type: "invalid", message: `This is no JSON yet: ${error.message}.` };
    return { type: "invalid", message: sayError(error) };
  }
}

function writePreset(preset: string): string {
  return JSON.stringify({ preset }, undefined, 2);
}

function startName({ name }: Fields): string {
  return typeof name === "string" && name !== "custom" ? name : "default";
}
