/** Says that a conversation is not there, and offers another one for whatever somebody wanted to say in it. */
export interface GoneConversationProps {
  readonly onBegin: () => void;
}

export function GoneConversation({ onBegin }: GoneConversationProps) {
  return (
    <p className="turn-end" role="alert">
      <span>This conversation is not here: it was deleted, or its address is wrong. What you wrote is kept.</span>
      <button type="button" onClick={onBegin}>
        Begin a new one with it
      </button>
    </p>
  );
}
