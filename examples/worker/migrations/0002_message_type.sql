-- Distinguishes messages from the summary that replaces earlier messages.
ALTER TABLE messages ADD COLUMN message_type TEXT NOT NULL DEFAULT 'message'
  CHECK (message_type IN ('message', 'summary'));

CREATE INDEX IF NOT EXISTS idx_messages_type ON messages (conversation_id, message_type);
