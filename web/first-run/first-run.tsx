/** The first screen: a drawing, one sentence about the product, and three ways to start. */
import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from "react";
import { createSession, openSample } from "../api/sessions.ts";
import { listModels } from "../api/settings.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { goTo } from "../hooks/use-location.ts";
import { describeModels } from "./describe-models.ts";
import { Illustration } from "./illustration.tsx";
import { ImportFailure } from "./import-failure.tsx";
import { importCopy, importFile } from "./import-file.ts";

export function FirstRun() {
  const [waiting, setWaiting] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  const { value: models } = useLoaded("models", listModels);
  const file = useRef<HTMLInputElement>(null);
  const chosen = useRef<File | undefined>(undefined);
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
  const message = useRef<HTMLParagraphElement>(null);
  // On a small screen the error can be below the fold.
  useEffect(() => {
    if (error !== undefined) message.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  const importChosen = (picked: File | undefined) => {
    chosen.current = picked;
    if (picked !== undefined) void open("import", () => importFile(picked));
  };
  const copy = () => {
    const { current: picked } = chosen;
    if (picked !== undefined) void open("import", () => importCopy(picked));
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    importChosen(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the import button.
    <div className="first-run" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <Illustration />
      <h1>See what the model sees</h1>
      <p className="introduction">
        A long conversation outgrows the model's context window. Palimpsest shows which messages the model reads word
        for word, which it reads as a summary, and which are left out. The log keeps all of them.
      </p>
      <ul className="start-choices">
        <li>
          <button
            type="button"
            className="start-choice"
            disabled={waiting !== undefined}
            onClick={() => void open("chat", async () => (await createSession({})).id)}
          >
            <strong>Chat</strong>
            <span>{describeModels(models)}</span>
          </button>
        </li>
        <li>
          <button
            type="button"
            className="start-choice"
            disabled={waiting !== undefined}
            onClick={() => void open("sample", openSample)}
          >
            <strong>{waiting === "sample" ? "Opening…" : "Open the sample"}</strong>
            <span>Three people write an audio guide. A small context window causes several compactions.</span>
          </button>
        </li>
        <li>
          <button
            type="button"
            className="start-choice"
            disabled={waiting !== undefined}
            onClick={() => file.current?.click()}
          >
            <strong>{waiting === "import" ? "Importing…" : "Import a transcript"}</strong>
            <span>
              A Palimpsest, ChatGPT or Claude.ai export, a log of Claude Code, Codex, Gemini CLI or another agent, or
              messages as JSON.
              <span className="with-pointer"> You can also drop the file here.</span>
            </span>
          </button>
          <input
            ref={file}
            type="file"
            className="visually-hidden"
            tabIndex={-1}
            aria-label="Transcript"
            accept=".json,.jsonl,.ndjson,.md,application/json"
            onChange={(event: ChangeEvent<HTMLInputElement>) => importChosen(event.target.files?.[0])}
          />
        </li>
      </ul>
      <p className="first-error" role="alert" ref={message}>
        {error === undefined ? null : <ImportFailure error={error} onOpen={() => setError(undefined)} onCopy={copy} />}
      </p>
    </div>
  );
}
