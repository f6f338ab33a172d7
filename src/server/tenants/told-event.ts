/** Events as clients are told of them: ids and figures. What was said is read where it is kept, by whoever may. */
import type { EngineEvents, EventName } from "../../engine/context/events.ts";

type Told = Readonly<Record<string, unknown>> & { readonly sessionId?: string | undefined };

export function toldEvent<Name extends EventName>(name: Name, event: EngineEvents[Name]): Told {
  if (name !== "compaction") return { ...event };
  const { messages, record, ...rest } = event as EngineEvents["compaction"];
  return {
    ...rest,
    visibleMessages: messages.length,
    summary: record && {
      id: record.id,
      depth: record.depth,
      coverage: record.coverage,
      strategy: record.strategy,
      model: record.model,
      tokensAfter: record.tokensAfter,
    },
  };
}
