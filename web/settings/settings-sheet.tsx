/** The settings: the current policy and its sources, a form to change it, the presets side by side, and the models. */
import { useState } from "react";
import { describeSource, loadPresets, loadSettings } from "../api/settings.ts";
import type { Settings } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { announcePolicyChange } from "../hooks/use-policy-change.ts";
import { Sheet } from "../ui/sheet.tsx";
import { ComparePresets } from "./compare-presets.tsx";
import { PolicyForm } from "./policy-form.tsx";

export interface SettingsSheetProps {
  /** Preset to show in the form. */
  readonly preset?: string | undefined;
  readonly onClose: () => void;
}

export function SettingsSheet({ preset, onClose }: SettingsSheetProps) {
  const [saves, setSaves] = useState(0);
  const onSaved = () => {
    setSaves((before) => before + 1);
    announcePolicyChange();
  };
  const { value: settings, error } = useLoaded(`settings ${saves}`, loadSettings);
  const { value: presets } = useLoaded("presets", loadPresets);
  return (
    <Sheet title="Settings" className="settings" onClose={onClose}>
      {settings === undefined ? <p className="aside panel-empty">{error ?? "Loading…"}</p> : null}
      {settings === undefined ? null : <CurrentPolicy settings={settings} />}
      {settings === undefined ? null : (
        <PolicyForm settings={settings} presets={presets ?? []} preset={preset} onSaved={onSaved} />
      )}
      {settings === undefined || presets === undefined ? null : (
        <ComparePresets presets={presets} current={settings.policy} />
      )}
      {settings === undefined ? null : <Models settings={settings} />}
    </Sheet>
  );
}

function CurrentPolicy({ settings: { policy, sources } }: { readonly settings: Settings }) {
  return (
    <section className="panel-part">
      <h3>Current policy</h3>
      <p>
        Policy <strong className="mono">{String(policy.name)}</strong>, from{" "}
        {sources.map(describeSource).join(", then ")}
        {sources.length > 1 ? "; later sources win" : ""}.
      </p>
    </section>
  );
}

function Models({ settings: { models, version } }: { readonly settings: Settings }) {
  return (
    <section className="panel-part">
      <h3>Models</h3>
      <ul className="plain-list">
        {models.map(({ id, isOffline }, index) => (
          <li key={id}>
            <span className="mono">{id}</span>
            {index === 0 ? <span className="aside"> default</span> : null}
            {isOffline ? <span className="aside"> works offline, and only quotes your messages</span> : null}
          </li>
        ))}
      </ul>
      <p className="aside">
        API keys stay on the server and never reach this page. Set them as environment variables of the server, for
        example <code>OPENAI_API_KEY</code>, <code>ANTHROPIC_API_KEY</code> or <code>GEMINI_API_KEY</code>, and restart
        it.
      </p>
      <p className="aside figures">Palimpsest {version}</p>
    </section>
  );
}
