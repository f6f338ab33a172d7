/** Why a file was not taken. One that is here already can be opened, or taken once more as a copy. */
import { sayError } from "../api/errors.ts";
import { writePlace } from "../hooks/use-location.ts";
import { AlreadyThere } from "./import-file.ts";

export interface ImportFailureProps {
  readonly error: unknown;
  readonly onOpen: () => void;
  /** Takes the same file under another id. */
  readonly onCopy: () => void;
}

export function ImportFailure({ error, onOpen, onCopy }: ImportFailureProps) {
  if (!(error instanceof AlreadyThere)) return sayError(error);
  return (
    <>
      This conversation is here already.{" "}
      <span className="import-ways">
        <a href={writePlace({ type: "session", id: error.sessionId, seq: undefined })} onClick={onOpen}>
          Open it
        </a>
        <button type="button" className="link" onClick={onCopy}>
          Import it as a copy
        </button>
      </span>
    </>
  );
}
