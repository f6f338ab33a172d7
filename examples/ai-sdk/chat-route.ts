/** A chat route for `useChat`: the session keeps the conversation, and each call to the model fits its window. */
import { convertToModelMessages, streamText, type UIMessage } from "ai";
import type { Palimpsest } from "../../src/index.ts";
import { type SdkModel, wrapModel } from "../../src/integrations/ai-sdk/index.ts";

export function createRoute(palimpsest: Palimpsest, model: SdkModel) {
  return async function POST(request: Request): Promise<Response> {
    const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] };
    const session = await palimpsest.session(id);
    const result = streamText({
      model: wrapModel(model, { session }),
      messages: await convertToModelMessages(messages),
    });
    return result.toUIMessageStreamResponse();
  };
}
