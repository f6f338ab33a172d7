/**
 * Handles files that are dropped outside of a drop target, so that the browser does not leave the page. Images are
 * added to the composer; other files are imported as transcripts.
 */
import { useEffect } from "react";
import { describeError } from "../api/errors.ts";
import { goTo } from "../hooks/use-location.ts";
import { announce } from "../ui/announcement.ts";
import { importFile } from "./import-file.ts";

type AddFiles = (files: readonly File[]) => void;

const targets = new Set<AddFiles>();

/** Adds images that are dropped anywhere, while the component is mounted. */
export function useDroppedImages(add: AddFiles): void {
  useEffect(() => {
    targets.add(add);
    return () => void targets.delete(add);
  }, [add]);
}

export function useWindowDrops(): void {
  useEffect(() => {
    const onOver = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    window.addEventListener("dragover", onOver);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("drop", onDrop);
    };
  }, []);
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

function onDrop(event: DragEvent): void {
  // Another component handles this drop; dropped text is left to the browser.
  if (event.defaultPrevented || !hasFiles(event)) return;
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  const images = files.filter(({ type }) => type.startsWith("image/"));
  const [target] = [...targets].slice(-1);
  if (images.length > 0 && target === undefined) announce("Open a conversation first: images are part of a message.");
  else if (images.length > 0) target?.(images);
  const transcript = files.find((file) => !images.includes(file));
  if (transcript === undefined) return;
  importFile(transcript).then(
    (id) => goTo({ type: "session", id, seq: undefined }),
    (error: unknown) => announce(`${transcript.name} was not imported. ${describeError(error)}`),
  );
}
