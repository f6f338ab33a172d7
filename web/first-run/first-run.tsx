/** The first screen: what this is, in a picture and a sentence, and three doors. */
import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from "react";
import { listModels } from "../api/chat.ts";
import { createSession, openSample } from "../api/sessions.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { goTo } from "../hooks/use-location.ts";
import { sayModels } from "./describe-models.ts";
import { FirstPicture } from "./first-picture.tsx";
import { ImportFailure } from "./import-failure.tsx";
import { importCopy, importFile } from "./import-file.ts";

export function FirstRun() {
  const [waiting, setWaiting] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  const { value: models } = useLoaded("models", listModels);
  const file = useRef<HTMLInputElement>(null);
  const taken = useRef<File | undefined>(undefined);
  const open = async (name: string, make: () => Promise<string>) => {
    setWaiting(name);
    setError(undefined);
    try {
      goTo({ type: "session", id: await make(), seq: undefined });
    } catch (failure) {
      setError(failure);
      setWaiting(undefined);
    }
  };
  const said = useRef<HTMLParagraphElement>(null);
  // On a small screen the doors can be longer than the page.
  useEffect(() => {
    if (error !== undefined) said.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  const take = (given: File | undefined) => {
    taken.current = given;
    if (given !== undefined) void open("import", () => importFile(given));
  };
  const copy = () => {
    const { current: given } = taken;
    if (given !== undefined) void open("import", () => importCopy(given));
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the third door.
    <div className="first-run" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <FirstPicture />
      <h1>See what the model sees</h1>
      <p className="first-words">
        A conversation outgrows the model's window. Here you watch what becomes of every message: read word for word,
        folded into a summary, or left out, and nothing is ever lost underneath.
      </p>
      <ul className="doors">
        <li>
          <button
            type="button"
            className="door"
            disabled={waiting !== undefined}
            onClick={() => void open("chat", async () => (await createSession({})).id)}
          >
            <strong>Chat</strong>
            <span>{sayModels(models)}</span>
          </button>
        </li>
        <li>
          <button
            type="button"
            className="door"
            disabled={waiting !== undefined}
            onClick={() => void open("sample", openSample)}
          >
            <strong>{waiting === "sample" ? "Opening…" : "Open the sample"}</strong>
            <span>Three people make an audio guide, in a window so small that it has to fold.</span>
          </button>
        </li>
        <li>
          <button type="button" className="door" disabled={waiting !== undefined} onClick={() => file.current?.click()}>
            <strong>{waiting === "import" ? "Reading…" : "Import a transcript"}</strong>
            <span>
              An export of ours, or messages as JSON in any provider's shape.
              <span className="with-pointer"> Dropping the file works too.</span>
            </span>
          </button>
          <input
            ref={file}
            type="file"
            className="visually-hidden"
            tabIndex={-1}
            aria-label="Transcript"
            accept=".json,.jsonl,.ndjson,application/json"
            onChange={(event: ChangeEvent<HTMLInputElement>) => take(event.target.files?.[0])}
          />
        </li>
      </ul>
      <p className="first-error" role="alert" ref={said}>
        {error === undefined ? null : <ImportFailure error={error} onOpen={() => setError(undefined)} onCopy={copy} />}
      </p>
    </div>
  );
}
