/** Messages that are to be said once more with the next one, because the model does not read them any more. */
import { useCallback, useState } from "react";
import type { ShownMessage } from "../api/values.ts";

export interface Recall {
  readonly recalled: readonly ShownMessage[];
  readonly recall: (message: ShownMessage) => void;
  readonly forget: (id: string) => void;
}

export function useRecall(): Recall {
  const [recalled, setRecalled] = useState<readonly ShownMessage[]>([]);
  const forget = useCallback((id: string) => setRecalled((all) => all.filter((each) => each.id !== id)), []);
  const recall = useCallback((message: ShownMessage) => {
    setRecalled((all) => [...all.filter(({ id }) => id !== message.id), message]);
    document.querySelector<HTMLElement>("#composer")?.focus();
  }, []);
  return { recalled, recall, forget };
}
