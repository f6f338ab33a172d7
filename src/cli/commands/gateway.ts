/** `palimpsest gateway`: the server without its page, for programs that can only change the address of their API. */
import type { Command } from "../terminal/command.ts";
import { runServer, command as serve } from "./serve.ts";

export const command: Command = {
  ...serve,
  usage: "gateway [--port <number>] [--openai <url>] [--anthropic <url>] [--gateway-window <tokens>] [--json]",
  about: [
    "Runs the server without the web page, between a program and the API of its model. Set the program's base URL to",
    "the address that is printed; its key goes to the API and is stored nowhere. A conversation is forwarded unchanged",
    "while it fits into the model's window. Then old messages are summarized on the way.",
    "With --client-compaction pass, the API answers when a program compacts its conversation itself.",
    "PALIMPSEST_GATEWAY_OPENAI_KEY and PALIMPSEST_GATEWAY_ANTHROPIC_KEY replace the keys of programs. With --tokens,",
    "programs send one of these tokens as their key, and the server needs a key of its own.",
  ],
  examples: [
    "palimpsest gateway",
    "ANTHROPIC_BASE_URL=http://127.0.0.1:7420 claude",
    "palimpsest gateway --openai http://127.0.0.1:8000 --gateway-window 32000",
  ],
  run: (invocation) => runServer(invocation, { hasPage: false }),
};
