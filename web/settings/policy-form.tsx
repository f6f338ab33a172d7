/** A form for the policy as JSON, which is validated while the user types. It is saved only if the server allows it. */
import { type FormEvent, useEffect, useRef, useState } from "react";
import { type Fields, readFields } from "../../src/client/fields.ts";
import { describeError } from "../api/errors.ts";
import { checkPolicy, writePolicy } from "../api/settings.ts";
import type { PolicyCheck, Preset, Settings } from "../api/values.ts";
import { useDebounced, useSingleFlight } from "../hooks/limit-calls.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { describeLoss, listDifferences } from "./policy-differences.ts";

export interface PolicyFormProps {
  readonly settings: Settings;
  readonly presets: readonly Preset[];
  /** Preset that the user chose outside of the settings. */
  readonly preset?: string | undefined;
  readonly onSaved: () => void;
}

const DEBOUNCE_MS = 250;

export function PolicyForm({ settings, presets, preset, onSaved }: PolicyFormProps) {
  const [text, setText] = useState(() => writePreset(preset ?? startName(settings.policy)));
  const [status, setStatus] = useState("");
  const settled = useDebounced(text, DEBOUNCE_MS);
  const { value: checked } = useLoaded(settled, (signal) => check(settled, signal));
  const single = useSingleFlight();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const loss = checked?.type === "valid" ? describeLoss(settings.policy, checked.policy) : "";
  const warning = useRef<HTMLDivElement>(null);
  const needsConfirmation = preset !== undefined && loss !== "";
  useEffect(() => {
    // The user chose this preset outside of the settings; the warning explains why it is not saved yet.
    if (needsConfirmation) warning.current?.scrollIntoView({ block: "center" });
  }, [needsConfirmation]);
  const isReady = settled === text && checked?.type === "valid" && (loss === "" || isConfirmed);
  const write = (next: string) => {
    setText(next);
    setStatus("");
    setIsConfirmed(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    void single("save", () =>
      writePolicy(readFields(JSON.parse(text))).then(
        () => {
          setStatus("Saved. It applies to the next prompt.");
          setIsConfirmed(false);
          onSaved();
        },
        (error: unknown) => setStatus(describeError(error)),
      ),
    );
  };
  return (
    <form className="panel-part policy-form" onSubmit={submit}>
      <h3>Change policy</h3>
      <p className="panel-line preset-buttons">
        {presets.map(({ name }) => (
          <button key={name} type="button" onClick={() => write(writePreset(name))}>
            {name}
          </button>
        ))}
      </p>
      <label htmlFor="policy">A preset, with the settings that differ from it</label>
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
        {status === "" ? null : <p>{status}</p>}
      </div>
      {loss === "" ? null : (
        <div className="warning" ref={warning}>
          <p>{loss}</p>
          {settings.isWritable ? (
            <label className="confirmation">
              <input type="checkbox" checked={isConfirmed} onChange={(event) => setIsConfirmed(event.target.checked)} />
              Delete summarized messages
            </label>
          ) : null}
        </div>
      )}
      {settings.isWritable ? (
        <button type="submit" className="primary" disabled={!isReady}>
          Save policy
        </button>
      ) : (
        <p className="aside">
          The policy cannot be changed here. Only the owner of the server (the tenant <code>local</code>) can save it,
          and only if the server has a configuration file and neither its options nor <code>PALIMPSEST_POLICY</code> set
          the policy.
        </p>
      )}
    </form>
  );
}

/** The result of the validation, with the settings that would change. */
function Verdict({ checked, current }: { readonly checked: PolicyCheck; readonly current: Fields }) {
  if (checked.type === "invalid") return <p className="failed">{checked.message}</p>;
  const lines = listDifferences([current, checked.policy]);
  if (lines.length === 0) return <p>Valid, no changes</p>;
  return (
    <>
      <p>Valid. Changes:</p>
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

async function check(text: string, signal: AbortSignal): Promise<PolicyCheck> {
  try {
    const policy: unknown = JSON.parse(text);
    if (typeof policy !== "object" || policy === null || Array.isArray(policy)) {
      return { type: "invalid", message: 'Enter an object, for example { "preset": "default" }.' };
    }
    return await checkPolicy(readFields(policy), signal);
  } catch (error) {
    if (error instanceof SyntaxError) return { type: "invalid", message: `Invalid JSON: ${error.message}.` };
    return { type: "invalid", message: describeError(error) };
  }
}

function writePreset(preset: string): string {
  return JSON.stringify({ preset }, undefined, 2);
}

function startName({ name }: Fields): string {
  return typeof name === "string" && name !== "custom" ? name : "default";
}
