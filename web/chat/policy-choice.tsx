/**
 * By which policy conversations are kept within the window: its name, and a choice of those that have one where the
 * server lets somebody choose. One that would delete words is looked at in the settings first, which ask about it.
 */
import { useCallback, useState } from "react";
import { announce } from "../announce.ts";
import { sayError } from "../api/say-error.ts";
import { loadPresets, loadSettings, writePolicy } from "../api/settings.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { openSheet } from "../hooks/use-open-sheet.ts";
import { tellPolicyChange, usePolicyChange } from "../hooks/use-policy-change.ts";
import { useRevisits } from "../hooks/use-revisits.ts";
import { sayLoss } from "../settings/say-loss.ts";

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
