/** Plays the bundled sample turn by turn, so that folding can be watched as it happens. */
import { useState } from "react";
import { sayError } from "../api/errors.ts";
import { isSampleOver, playSample } from "../api/sessions.ts";
import type { SessionLine } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";

export interface SamplePlayerProps {
  readonly session: SessionLine | undefined;
  /** Before each turn. */
  readonly onBegin: () => void;
  readonly onTurn: () => Promise<unknown>;
  readonly onFail: (text: string) => void;
}

/** Turns that "Play ten" plays. */
const SEVERAL = 10;

export function SamplePlayer({ session, onBegin, onTurn, onFail }: SamplePlayerProps) {
  const [isPlaying, setIsPlaying] = useState(false);
  const [isEnded, setIsEnded] = useState(false);
  const isOne = session !== undefined && isSample(session);
  const { value: wasOver = false } = useLoaded(`${session?.id}`, async (signal) =>
    isOne ? isSampleOver(session.id, signal) : false,
  );
  const isOver = isEnded || wasOver;
  if (!isOne) return null;
  const play = async (turns: number) => {
    setIsPlaying(true);
    try {
      for (let turn = 0; turn < turns; turn += 1) {
        onBegin();
        const goesOn = await playSample(session.id);
        await onTurn();
        if (!goesOn) {
          setIsEnded(true);
          break;
        }
      }
    } catch (error) {
      onFail(sayError(error));
    }
    setIsPlaying(false);
  };
  return (
    <div className="sample-player">
      <span>{isOver ? "The sample is at its end. Ask it something." : "The sample: play it and watch it fold."}</span>
      {isOver ? null : (
        <>
          <button type="button" disabled={isPlaying} onClick={() => void play(1)}>
            Play one turn
          </button>
          <button type="button" disabled={isPlaying} onClick={() => void play(SEVERAL)}>
            Play ten
          </button>
        </>
      )}
    </div>
  );
}

export function isSample({ id }: SessionLine): boolean {
  return id.startsWith("sample-");
}
