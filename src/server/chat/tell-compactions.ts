/** A compaction that goes on while a turn waits for its prompt, told in the turn's own stream so that a page shows it. */
import type { Turn } from "./turn.ts";

/** Returns how to stop. */
export function tellCompactions({ engine, session, stream }: Pick<Turn, "engine" | "session" | "stream">): () => void {
  const tell = (event: { readonly sessionId: string }, data: object) => {
    if (event.sessionId === session.id) stream.write({ type: "data-compaction", transient: true, data });
  };
  const stops = [
    engine.on("compaction-start", (event) => {
      const { phase, reason, tokensBefore } = event;
      tell(event, { stage: "start", phase, reason, tokensBefore });
    }),
    engine.on("compaction", (event) => {
      const { phase, reason, tokensBefore, tokensAfter } = event;
      tell(event, { stage: "done", phase, reason, tokensBefore, tokensAfter });
    }),
    engine.on("compaction-end", (event) => {
      const { phase, reason, outcome } = event;
      tell(event, { stage: outcome, phase, reason });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
