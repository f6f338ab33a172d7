/**
 * How conversations are kept within the window: the policy in force and where it comes from, the six that have names
 * beside each other, and a place to write another one that says what is wrong while one writes.
 */
import { useState } from "react";
import { loadPresets, loadSettings, type Settings } from "../api/settings.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { tellPolicyChange } from "../hooks/use-policy-change.ts";
import { Sheet } from "../ui/sheet.tsx";
import { ComparePresets } from "./compare-presets.tsx";
import { PolicyForm } from "./policy-form.tsx";

export interface SettingsSheetProps {
  /** The name of a policy to look at. */
  readonly wished?: string | undefined;
  readonly onClose: () => void;
}

export function SettingsSheet({ wished, onClose }: SettingsSheetProps) {
  const [kept, setKept] = useState(0);
  const onKept = () => {
    setKept((before) => before + 1);
    tellPolicyChange();
  };
  const { value: settings, error } = useLoaded(`settings ${kept}`, loadSettings);
  const { value: presets } = useLoaded("presets", loadPresets);
  return (
    <Sheet title="Settings" className="settings" onClose={onClose}>
      {settings === undefined ? <p className="aside panel-empty">{error ?? "Looking…"}</p> : null}
      {settings === undefined ? null : <InForce settings={settings} />}
      {settings === undefined ? null : (
        <PolicyForm settings={settings} presets={presets ?? []} wished={wished} onKept={onKept} />
      )}
      {settings === undefined || presets === undefined ? null : (
        <ComparePresets presets={presets} current={settings.policy} />
      )}
      {settings === undefined ? null : <Models settings={settings} />}
    </Sheet>
  );
}

function InForce({ settings: { policy, sources } }: { readonly settings: Settings }) {
  return (
    <section className="panel-part">
      <h3>In force</h3>
      <p>
        Policy <strong className="mono">{String(policy.name)}</strong>, from {sources.join(", then ")}
        {sources.length > 1 ? "; what comes later wins" : ""}.
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
            {index === 0 ? <span className="aside"> answers unless another is chosen</span> : null}
            {isOffline ? <span className="aside"> works without a network and only quotes</span> : null}
          </li>
        ))}
      </ul>
      <p className="aside">
        Keys are held by the server alone and never reach this page. Set them where it is started, for example{" "}
        <code>OPENAI_API_KEY</code>, <code>ANTHROPIC_API_KEY</code> or <code>GEMINI_API_KEY</code>, and start it again.
      </p>
      <p className="aside figures">Palimpsest {version}</p>
    </section>
  );
}
