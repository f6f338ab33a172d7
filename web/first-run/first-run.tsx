/** The first screen: what this is, in a picture and a sentence, and three doors. */
import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from "react";
import { sayError } from "../api/say-error.ts";
import { createSession, openSample } from "../api/sessions.ts";
import { goTo } from "../hooks/use-place.ts";
import { FirstPicture } from "./first-picture.tsx";
import { importFile } from "./import-file.ts";

export function FirstRun() {
  const [waiting, setWaiting] = useState<string | undefined>();
  const [error, setError] = useState<string | undefined>();
  const file = useRef<HTMLInputElement>(null);
  const open = async (name: string, make: () => Promise<string>) => {
    setWaiting(name);
    setError(undefined);
    try {
      goTo({ type: "session", id: await make(), seq: undefined });
    } catch (failure) {
      setError(sayError(failure));
      setWaiting(undefined);
    }
  };
  const said = useRef<HTMLParagraphElement>(null);
  // On a small screen the doors can be longer than the page.
  useEffect(() => {
    if (error !== undefined) said.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  const take = (given: File | undefined) => {
    if (given !== undefined) void open("import", () => importFile(given));
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
            <span>Begin a conversation with the model that this server knows.</span>
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
            <span>An export of ours, or messages as JSON in any provider's shape. Dropping the file works too.</span>
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
        {error}
      </p>
    </div>
  );
}
