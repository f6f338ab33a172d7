/** Which of several ways a conversation went, and the way to the others. */

import type { Branch } from "../api/sessions.ts";
import { writePlace } from "../hooks/use-place.ts";

export function BranchSwitch({ branch }: { readonly branch: Branch }) {
  const { sessionIds, current } = branch;
  return (
    <nav className="branches" aria-label="Ways that the conversation went from here">
      <Way id={sessionIds[current - 1]} label="The way before" sign="‹" />
      <span className="figures">
        {current + 1}/{sessionIds.length}
      </span>
      <Way id={sessionIds[current + 1]} label="The next way" sign="›" />
    </nav>
  );
}

function Way({ id, label, sign }: { readonly id: string | undefined; readonly label: string; readonly sign: string }) {
  if (id === undefined) return <span aria-hidden="true">{sign}</span>;
  return (
    <a href={writePlace({ type: "session", id, seq: undefined })} aria-label={label}>
      {sign}
    </a>
  );
}
