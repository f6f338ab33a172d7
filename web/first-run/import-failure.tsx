/** Why a file was not imported. If its conversation already exists, the user can open it or import a copy. */
import { describeError } from "../api/errors.ts";
import { placeHref } from "../hooks/use-location.ts";
import { SessionExistsError } from "./import-file.ts";

export interface ImportFailureProps {
  readonly error: unknown;
  readonly onOpen: () => void;
  /** Imports the file under another id. */
  readonly onCopy: () => void;
}

export function ImportFailure({ error, onOpen, onCopy }: ImportFailureProps) {
  if (!(error instanceof SessionExistsError)) return describeError(error);
  return (
    <>
      This conversation already exists.{" "}
      <span className="import-choices">
        <a href={placeHref({ type: "session", id: error.sessionId, seq: undefined })} onClick={onOpen}>
          Open
        </a>
        <button type="button" className="link" onClick={onCopy}>
          Import as a copy
        </button>
      </span>
    </>
  );
}
