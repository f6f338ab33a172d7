/** Which model answers: its name where there is one, a choice where there are several. */
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
  if (first === undefined) return null;
  if (models.length === 1) {
    return (
      <span className="model-name" title={first.isOffline ? "No model is connected: it only quotes what was said" : ""}>
        {first.id}
      </span>
    );
  }
  return (
    <label>
      <span className="visually-hidden">Model</span>
      <select className="model-choice" value={model ?? first.id} onChange={(event) => onChoose(event.target.value)}>
        {models.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </label>
  );
}
