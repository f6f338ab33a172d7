/** The AI SDK's chat class, which `useChat` wraps, with the list that a page would keep. */
import { AbstractChat, type ChatInit, type ChatState, type ChatStatus, DefaultChatTransport, type UIMessage } from "ai";
import { textOf } from "./start-chat.ts";

class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, message);
  };
  snapshot = <Value>(value: Value): Value => structuredClone(value);
}

export class PlainChat extends AbstractChat<UIMessage> {
  constructor(url: string, options: Partial<ChatInit<UIMessage>> = {}) {
    const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat` });
    super({ id: "chat", transport, ...options, state: new PlainState() });
  }

  get lines(): readonly string[] {
    return this.messages.map((message) => `${message.role}: ${textOf(message)}`);
  }
}
