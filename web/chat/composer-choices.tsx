/** The model and the policy of the next turn. */
import { useCallback, useEffect, useState } from "react";
import { describeError } from "../api/errors.ts";
import { listModels, loadPresets, loadSettings, writePolicy } from "../api/settings.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { openSheet } from "../hooks/use-open-sheet.ts";
import { announcePolicyChange, usePolicyChange } from "../hooks/use-policy-change.ts";
import { useRefreshTicks } from "../hooks/use-refresh-ticks.ts";
import { describeLoss } from "../settings/policy-differences.ts";
import { announce } from "../ui/announcement.ts";

export interface ModelChoiceProps {
  /** Undefined for the server's default. */
  readonly model: string | undefined;
  readonly onChoose: (model: string) => void;
}

export function ModelChoice({ model, onChoose }: ModelChoiceProps) {
  const { value: models = [] } = useLoaded("models", listModels);
  const [first] = models;
  const isUnavailable = model !== undefined && first !== undefined && !models.some(({ id }) => id === model);
  useEffect(() => {
    // The server was restarted without the chosen model.
    if (isUnavailable && first !== undefined) onChoose(first.id);
  }, [isUnavailable, first, onChoose]);
  if (first === undefined) return null;
  if (models.length === 1) {
    return (
      <span className="choice" title={first.isOffline ? "No model is configured: answers quote your messages" : ""}>
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

const POLICY_HINT = "What is pruned and summarized, and when. Applies to all conversations on this server";

export function PolicyChoice() {
  const [changes, setChanges] = useState(0);
  usePolicyChange(useCallback(() => setChanges((before) => before + 1), []));
  const { value: settings } = useLoaded(`policy ${changes} ${useRefreshTicks()}`, loadSettings);
  const { value: presets = [] } = useLoaded("presets", loadPresets);
  if (settings === undefined) return null;
  const name = String(settings.policy.name);
  if (!settings.isWritable) {
    return (
      <span className="choice" title={POLICY_HINT}>
        Policy <span className="choice-fixed">{name}</span>
      </span>
    );
  }
  const choose = async (preset: string) => {
    const policy = presets.find((each) => each.name === preset)?.policy;
    if (policy === undefined || describeLoss(settings.policy, policy) !== "") return openSheet("settings", preset);
    await writePolicy({ preset }).catch((error: unknown) => announce(describeError(error)));
    announcePolicyChange();
  };
  return (
    <label className="choice">
      Policy
      <select title={POLICY_HINT} value={name} onChange={(event) => void choose(event.target.value)}>
        {presets.some((each) => each.name === name) ? null : <option value={name}>{name}</option>}
        {presets.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </select>
    </label>
  );
}
