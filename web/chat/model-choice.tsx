/** Which model answers: its name where there is one, a choice where there are several. */
import { useEffect } from "react";
import { listModels } from "../api/chat.ts";
import { useLoaded } from "../hooks/use-loaded.ts";

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
