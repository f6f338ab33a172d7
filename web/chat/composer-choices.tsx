/** Which model answers: its name where there is one, a choice where there are several. */
import { useCallback, useEffect, useState } from "react";
import { listModels } from "../api/chat.ts";
import { sayError } from "../api/errors.ts";
import { loadPresets, loadSettings, writePolicy } from "../api/settings.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { openSheet } from "../hooks/use-open-sheet.ts";
import { tellPolicyChange, usePolicyChange } from "../hooks/use-policy-change.ts";
import { useRevisits } from "../hooks/use-revisits.ts";
import { sayLoss } from "../settings/policy-differences.ts";
import { announce } from "../ui/announcement.ts";

export interface ModelChoiceProps {
  /** Undefined for the server's default. */
  readonly model: string | undefined;
  readonly onChoose: (model: string) => void;
}

export function ModelChoice({ model, onChoose }: ModelChoiceProps) {
  const { value: models = [] } = useLoaded("models", listModels);
  const [first] = models;
  const isGone = model !== undefined && first !== undefined && !models.some(({ id }) => id === model);
  useEffect(() => {
    // One that was chosen before the server was started without it.
    if (isGone && first !== undefined) onChoose(first.id);
  }, [isGone, first, onChoose]);
  if (first === undefined) return null;
  if (models.length === 1) {
    return (
      <span className="choice" title={first.isOffline ? "No model is connected: it only quotes what was said" : ""}>
        Model <span className="choice-fixed">{first.id}</span>
      </span>
    );
  }
  return (
    <label className="choice">
      Model
      <select title={model ?? first.id} value={model ?? first.id} onChange={(event) => onChoose(event.target.value)}>
        {models.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </label>
  );
}

const EXPLAINED = "The policy: what is pruned and folded, and when. It holds for every conversation of this server";

export function PolicyChoice() {
  const [changes, setChanges] = useState(0);
  usePolicyChange(useCallback(() => setChanges((before) => before + 1), []));
  const { value: settings } = useLoaded(`policy ${changes} ${useRevisits()}`, loadSettings);
  const { value: presets = [] } = useLoaded("presets", loadPresets);
  if (settings === undefined) return null;
  const name = String(settings.policy.name);
  if (!settings.isWritable) {
    return (
      <span className="choice" title={EXPLAINED}>
        Policy <span className="choice-fixed">{name}</span>
      </span>
    );
  }
  const choose = async (preset: string) => {
    const policy = presets.find((each) => each.name === preset)?.policy;
    if (policy === undefined || sayLoss(settings.policy, policy) !== "") return openSheet("settings", preset);
    await writePolicy({ preset }).catch((error: unknown) => announce(sayError(error)));
    tellPolicyChange();
  };
  return (
    <label className="choice">
      Policy
      <select title={EXPLAINED} value={name} onChange={(event) => void choose(event.target.value)}>
        {presets.some((each) => each.name === name) ? null : <option value={name}>{name}</option>}
        {presets.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </select>
    </label>
  );
}
