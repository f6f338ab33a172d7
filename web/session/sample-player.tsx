/** Plays the bundled sample conversation turn by turn, to show compactions as they happen. */
import { useState } from "react";
import { describeError } from "../api/errors.ts";
import { isSampleOver, playSample } from "../api/sessions.ts";
import type { Session } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";

export interface SamplePlayerProps {
  readonly session: Session | undefined;
  /** Called before each turn. */
  readonly onStart: () => void;
  readonly onTurn: () => Promise<unknown>;
  readonly onFail: (text: string) => void;
}

/** Turns that "Play ten turns" plays. */
const SEVERAL = 10;

export function SamplePlayer({ session, onStart, onTurn, onFail }: SamplePlayerProps) {
  const [isPlaying, setIsPlaying] = useState(false);
  const [isEnded, setIsEnded] = useState(false);
  const isPlayable = session !== undefined && isSample(session);
  const { value: wasOver = false } = useLoaded(`${session?.id}`, async (signal) =>
    isPlayable ? isSampleOver(session.id, signal) : false,
  );
  const isOver = isEnded || wasOver;
  if (!isPlayable) return null;
  const play = async (turns: number) => {
    setIsPlaying(true);
    try {
      for (let turn = 0; turn < turns; turn += 1) {
        onStart();
        const hasMore = await playSample(session.id);
        await onTurn();
        if (!hasMore) {
          setIsEnded(true);
          break;
        }
      }
    } catch (error) {
      onFail(describeError(error));
    }
    setIsPlaying(false);
  };
  return (
    <div className="sample-player">
      <span>
        {isOver ? "The sample has ended. You can continue the conversation." : "Play the sample to see compactions."}
      </span>
      {isOver ? null : (
        <>
          <button type="button" disabled={isPlaying} onClick={() => void play(1)}>
            Play one turn
          </button>
          <button type="button" disabled={isPlaying} onClick={() => void play(SEVERAL)}>
            Play ten turns{" "}
          </button>
        </>
      )}
    </div>
  );
}

export function isSample({ id }: Session): boolean {
  return id.startsWith("sample-");
}
