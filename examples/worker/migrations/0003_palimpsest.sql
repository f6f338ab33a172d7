-- Palimpsest's own tables, and the triggers that keep the rows of the window. Written by the tests: see
-- test/stores/worker-migrations.test.ts. It is not changed by hand; a later version brings a further file.
CREATE TABLE IF NOT EXISTS migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
        session_key INTEGER PRIMARY KEY AUTOINCREMENT,
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        title TEXT,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        last_seq INTEGER NOT NULL,
        message_count INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        first_seq INTEGER,
        first_role TEXT,
        preview TEXT NOT NULL DEFAULT '',
        recounted INTEGER NOT NULL DEFAULT 0,
        parent_key INTEGER,
        fork_at_seq INTEGER,
        inherited_summary_id TEXT,
        lineage TEXT NOT NULL DEFAULT '[]',
        fence INTEGER NOT NULL DEFAULT 0,
        lease_token TEXT,
        lease_from REAL,
        lease_until REAL,
        mark TEXT NOT NULL,
        UNIQUE (tenant, id),
        UNIQUE (tenant, session_key),
        FOREIGN KEY (tenant, parent_key) REFERENCES sessions (tenant, session_key)
      ) STRICT;

CREATE INDEX sessions_newest ON sessions (tenant, updated_at, id);

CREATE INDEX sessions_forks ON sessions (tenant, parent_key) WHERE parent_key IS NOT NULL;

CREATE TABLE heads (
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        floor_seq INTEGER NOT NULL,
        folded_through_seq INTEGER NOT NULL,
        view_from_seq INTEGER NOT NULL,
        kept TEXT NOT NULL,
        head TEXT NOT NULL,
        PRIMARY KEY (tenant, session_key),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT;

CREATE TABLE entries (
        entry_key INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        type TEXT NOT NULL,
        at REAL NOT NULL,
        id TEXT NOT NULL,
        hash TEXT,
        content TEXT NOT NULL,
        UNIQUE (tenant, session_key, seq),
        UNIQUE (tenant, session_key, id),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT;

CREATE INDEX entries_rare ON entries (tenant, session_key, type, seq) WHERE type <> 'message';

CREATE TABLE token_counts (
        tenant TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        counter_id TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (tenant, session_key, seq, counter_id),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;

CREATE TABLE message_texts (
        entry_key INTEGER PRIMARY KEY REFERENCES entries (entry_key) ON DELETE CASCADE,
        tenant TEXT NOT NULL,
        role TEXT NOT NULL,
        scope TEXT NOT NULL,
        text TEXT NOT NULL
      ) STRICT;

CREATE INDEX message_texts_newest ON message_texts (tenant);

CREATE TABLE pending_texts (
        entry_key INTEGER PRIMARY KEY REFERENCES message_texts (entry_key) ON DELETE CASCADE
      ) STRICT;

CREATE VIRTUAL TABLE text_index USING fts5 (
        text, scope, session,
        content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
      );

CREATE VIRTUAL TABLE text_pieces USING fts5vocab (text_index, 'row');

INSERT INTO migrations (version, name, hash) VALUES (1, 'sessions, entries and search', 'f242f90412f039df2c77ad7cace2279f1295c6c2546c222fe1e57f7b01c86782');

CREATE TABLE blobs (
        tenant TEXT NOT NULL,
        hash TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (tenant, hash)
      ) STRICT, WITHOUT ROWID;

CREATE TABLE blob_chunks (
        tenant TEXT NOT NULL,
        hash TEXT NOT NULL,
        number INTEGER NOT NULL,
        data BLOB NOT NULL,
        UNIQUE (tenant, hash, number),
        FOREIGN KEY (tenant, hash) REFERENCES blobs (tenant, hash) ON DELETE CASCADE
      ) STRICT;

CREATE TABLE blob_references (
        tenant TEXT NOT NULL,
        hash TEXT NOT NULL,
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (tenant, hash, session_key, seq),
        FOREIGN KEY (tenant, session_key) REFERENCES sessions (tenant, session_key) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;

CREATE INDEX blob_references_by_session ON blob_references (tenant, session_key, seq);

ALTER TABLE sessions ADD COLUMN inherited_messages INTEGER NOT NULL DEFAULT 0;

UPDATE sessions SET inherited_messages = (
        SELECT count(*) FROM json_each(sessions.lineage) l
        CROSS JOIN entries e ON e.tenant = sessions.tenant AND e.session_key = l.value ->> 0 AND e.seq <= l.value ->> 1
        WHERE e.type = 'message'
      ) WHERE parent_key IS NOT NULL;

INSERT INTO migrations (version, name, hash) VALUES (2, 'images and long texts beside the entries, and counts of messages', 'a5f93ea33017b87caa5d1fe568074abb2061ea0e910672dc426145325ed5e3dc');

INSERT INTO migrations (version, name, hash) VALUES (3, 'texts of one form, however their accents are written', '036d05e07fa0d24af2e555110613c54b41eafe79c20f3469203adfad4e7041e6');

ALTER TABLE entries ADD COLUMN tokens INTEGER;

UPDATE entries SET tokens = (SELECT CAST(c.value AS INTEGER) FROM json_each(entries.content, '$.tokens') c LIMIT 1)
        WHERE type = 'message';

CREATE INDEX entries_weights ON entries (tenant, session_key, seq, tokens) WHERE type = 'message';

INSERT INTO migrations (version, name, hash) VALUES (4, 'tokens of messages in a column of their own', 'f1fdc18b4f9916c014fed7f65b714ceb1458020f2d6894d6dbfea13bc43254f0');

ALTER TABLE entries ADD COLUMN checksum INTEGER;

ALTER TABLE heads ADD COLUMN checksum INTEGER;

ALTER TABLE token_counts ADD COLUMN checksum INTEGER;

ALTER TABLE sessions ADD COLUMN checksum INTEGER;

UPDATE sessions SET checksum =
        last_seq + 3 * message_count + 5 * epoch + 7 * coalesce(fork_at_seq, 0) + 11 * inherited_messages;

INSERT INTO migrations (version, name, hash) VALUES (5, 'checksums of rows', '98b1c5dfd346c74ef1f9f2c8e561976bc4929aa9ddf5ccd549a2443aa34fb472');

CREATE TABLE IF NOT EXISTS window_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS messages (
        id TEXT PRIMARY KEY,
        conversation_id TEXT NOT NULL,
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        sources TEXT,
        created_at INTEGER NOT NULL DEFAULT (unixepoch()),
        message_type TEXT NOT NULL DEFAULT 'message' CHECK (message_type IN ('message', 'summary'))
      );

CREATE INDEX IF NOT EXISTS idx_messages_type ON messages (conversation_id, message_type);

CREATE TABLE window_rows (
        session_key INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        row_id TEXT NOT NULL,
        entry_key INTEGER,
        summary_id TEXT,
        PRIMARY KEY (session_key, seq)
      ) STRICT, WITHOUT ROWID;

CREATE INDEX window_rows_row ON window_rows (row_id);

CREATE INDEX window_rows_entry ON window_rows (entry_key);

CREATE TRIGGER window_message AFTER INSERT ON entries WHEN NEW.type = 'message' AND NEW.tenant = 'local'
BEGIN
INSERT INTO window_rows (session_key, seq, row_id, entry_key)
        SELECT s.session_key, NEW.seq, iif(EXISTS (
  SELECT 1 FROM messages m WHERE m.id = NEW.id AND m.conversation_id <> s.id
), lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), NEW.id), NEW.entry_key
        FROM sessions s WHERE s.session_key = NEW.session_key;
INSERT INTO messages (id, conversation_id, role, content, sources, created_at, message_type)
        SELECT r.row_id, s.id, NEW.content ->> '$.message.role', coalesce((
  SELECT group_concat(coalesce(nullif(p.value ->> 'text', ''), (
  SELECT group_concat(CAST(c.data AS TEXT), '') FROM json_each(NEW.content, '$.blobs') b
  CROSS JOIN blob_chunks c ON c.tenant = NEW.tenant AND c.hash = b.value ->> 'sha256'
  WHERE b.value ->> 'as' = 'text' AND b.value ->> 'part' = p.key
), ''), char(10))
  FROM json_each(NEW.content, '$.message.parts') p WHERE p.value ->> 'type' = 'text'
), ''),
  nullif((
  SELECT json_group_array(json(p.value)) FROM json_each(NEW.content, '$.message.parts') p
  WHERE p.value ->> 'type' = 'source'
), '[]'), CAST(NEW.at / 1000 AS INTEGER), 'message' FROM sessions s
        CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq = NEW.seq
        WHERE s.session_key = NEW.session_key AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.row_id);
END;

CREATE TRIGGER window_erasure AFTER UPDATE OF content ON entries
        WHEN NEW.type = 'message' AND json_array_length(NEW.content, '$.message.parts') = 0
BEGIN
DELETE FROM messages WHERE message_type = 'message'
  AND id IN (SELECT row_id FROM window_rows WHERE entry_key = NEW.entry_key);
DELETE FROM window_rows WHERE entry_key = NEW.entry_key;
END;

CREATE TRIGGER window_deletion AFTER DELETE ON entries WHEN OLD.type = 'message'
BEGIN
DELETE FROM messages WHERE message_type = 'message'
  AND id IN (SELECT row_id FROM window_rows WHERE entry_key = OLD.entry_key);
DELETE FROM window_rows WHERE entry_key = OLD.entry_key;
END;

CREATE TRIGGER window_head AFTER UPDATE OF head ON heads WHEN NEW.tenant = 'local'
BEGIN
DELETE FROM messages WHERE message_type = 'message' AND id IN (SELECT row_id FROM window_rows WHERE session_key = NEW.session_key AND seq > 0 AND seq <= NEW.floor_seq
  AND seq NOT IN (SELECT value FROM json_each(NEW.kept)));
DELETE FROM window_rows WHERE session_key = NEW.session_key AND seq > 0 AND seq <= NEW.floor_seq
  AND seq NOT IN (SELECT value FROM json_each(NEW.kept));
DELETE FROM messages WHERE message_type = 'summary' AND id IN (SELECT row_id FROM window_rows WHERE session_key = NEW.session_key AND seq = 0 AND summary_id IS NOT NEW.head ->> '$.summary.id');
DELETE FROM window_rows WHERE session_key = NEW.session_key AND seq = 0 AND summary_id IS NOT NEW.head ->> '$.summary.id';
INSERT INTO window_rows (session_key, seq, row_id, summary_id)
  SELECT NEW.session_key, 0, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), NEW.head ->> '$.summary.id'
  WHERE NEW.head ->> '$.summary.id' IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = NEW.session_key AND r.seq = 0);
DELETE FROM messages WHERE message_type = 'summary'
  AND conversation_id = (SELECT s.id FROM sessions s WHERE s.session_key = NEW.session_key)
  AND id <> (SELECT r.row_id FROM window_rows r WHERE r.session_key = NEW.session_key AND r.seq = 0);
INSERT INTO messages (id, conversation_id, role, content, sources, created_at, message_type)
  SELECT r.row_id, s.id, 'system', NEW.head ->> '$.summary.text', NULL,
    CAST(NEW.head ->> '$.summary.at' / 1000 AS INTEGER), 'summary'
  FROM sessions s CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq = 0
  WHERE s.session_key = NEW.session_key AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.row_id);
  INSERT INTO window_rows (session_key, seq, row_id, entry_key)
  SELECT s.session_key, e.seq, iif(EXISTS (
  SELECT 1 FROM messages m WHERE m.id = e.id AND m.conversation_id <> s.id
), lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), e.id), e.entry_key
  FROM sessions s CROSS JOIN (
  SELECT NEW.session_key AS key, 9007199254740991 AS through_seq
  UNION ALL SELECT l.value ->> 0, l.value ->> 1
  FROM sessions f CROSS JOIN json_each(f.lineage) l WHERE f.session_key = NEW.session_key
) g CROSS JOIN entries e ON e.seq > NEW.floor_seq
    AND e.tenant = NEW.tenant AND e.session_key = g.key AND e.seq <= g.through_seq
  WHERE s.session_key = NEW.session_key AND e.type = 'message' 
  AND json_array_length(e.content, '$.message.parts') > 0
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = s.session_key AND r.seq = e.seq);
  INSERT INTO window_rows (session_key, seq, row_id, entry_key)
  SELECT s.session_key, e.seq, iif(EXISTS (
  SELECT 1 FROM messages m WHERE m.id = e.id AND m.conversation_id <> s.id
), lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), e.id), e.entry_key
  FROM sessions s CROSS JOIN (
  SELECT NEW.session_key AS key, 9007199254740991 AS through_seq
  UNION ALL SELECT l.value ->> 0, l.value ->> 1
  FROM sessions f CROSS JOIN json_each(f.lineage) l WHERE f.session_key = NEW.session_key
) g CROSS JOIN json_each(NEW.kept) k CROSS JOIN entries e ON e.seq = k.value
    AND e.tenant = NEW.tenant AND e.session_key = g.key AND e.seq <= g.through_seq
  WHERE s.session_key = NEW.session_key AND e.type = 'message' AND e.seq <= NEW.floor_seq
  AND json_array_length(e.content, '$.message.parts') > 0
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = s.session_key AND r.seq = e.seq);
INSERT INTO messages (id, conversation_id, role, content, sources, created_at, message_type)
  SELECT r.row_id, s.id, e.content ->> '$.message.role', coalesce((
  SELECT group_concat(coalesce(nullif(p.value ->> 'text', ''), (
  SELECT group_concat(CAST(c.data AS TEXT), '') FROM json_each(e.content, '$.blobs') b
  CROSS JOIN blob_chunks c ON c.tenant = e.tenant AND c.hash = b.value ->> 'sha256'
  WHERE b.value ->> 'as' = 'text' AND b.value ->> 'part' = p.key
), ''), char(10))
  FROM json_each(e.content, '$.message.parts') p WHERE p.value ->> 'type' = 'text'
), ''),
  nullif((
  SELECT json_group_array(json(p.value)) FROM json_each(e.content, '$.message.parts') p
  WHERE p.value ->> 'type' = 'source'
), '[]'), CAST(e.at / 1000 AS INTEGER), 'message' FROM sessions s
  CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq > 0
  CROSS JOIN entries e ON e.entry_key = r.entry_key
  WHERE s.session_key = NEW.session_key AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.row_id) ORDER BY r.seq;
END;

CREATE TRIGGER window_first_head AFTER INSERT ON heads WHEN NEW.tenant = 'local'
BEGIN
DELETE FROM messages WHERE message_type = 'message' AND id IN (SELECT row_id FROM window_rows WHERE session_key = NEW.session_key AND seq > 0 AND seq <= NEW.floor_seq
  AND seq NOT IN (SELECT value FROM json_each(NEW.kept)));
DELETE FROM window_rows WHERE session_key = NEW.session_key AND seq > 0 AND seq <= NEW.floor_seq
  AND seq NOT IN (SELECT value FROM json_each(NEW.kept));
DELETE FROM messages WHERE message_type = 'summary' AND id IN (SELECT row_id FROM window_rows WHERE session_key = NEW.session_key AND seq = 0 AND summary_id IS NOT NEW.head ->> '$.summary.id');
DELETE FROM window_rows WHERE session_key = NEW.session_key AND seq = 0 AND summary_id IS NOT NEW.head ->> '$.summary.id';
INSERT INTO window_rows (session_key, seq, row_id, summary_id)
  SELECT NEW.session_key, 0, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), NEW.head ->> '$.summary.id'
  WHERE NEW.head ->> '$.summary.id' IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = NEW.session_key AND r.seq = 0);
DELETE FROM messages WHERE message_type = 'summary'
  AND conversation_id = (SELECT s.id FROM sessions s WHERE s.session_key = NEW.session_key)
  AND id <> (SELECT r.row_id FROM window_rows r WHERE r.session_key = NEW.session_key AND r.seq = 0);
INSERT INTO messages (id, conversation_id, role, content, sources, created_at, message_type)
  SELECT r.row_id, s.id, 'system', NEW.head ->> '$.summary.text', NULL,
    CAST(NEW.head ->> '$.summary.at' / 1000 AS INTEGER), 'summary'
  FROM sessions s CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq = 0
  WHERE s.session_key = NEW.session_key AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.row_id);
  INSERT INTO window_rows (session_key, seq, row_id, entry_key)
  SELECT s.session_key, e.seq, iif(EXISTS (
  SELECT 1 FROM messages m WHERE m.id = e.id AND m.conversation_id <> s.id
), lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), e.id), e.entry_key
  FROM sessions s CROSS JOIN (
  SELECT NEW.session_key AS key, 9007199254740991 AS through_seq
  UNION ALL SELECT l.value ->> 0, l.value ->> 1
  FROM sessions f CROSS JOIN json_each(f.lineage) l WHERE f.session_key = NEW.session_key
) g CROSS JOIN entries e ON e.seq > NEW.floor_seq
    AND e.tenant = NEW.tenant AND e.session_key = g.key AND e.seq <= g.through_seq
  WHERE s.session_key = NEW.session_key AND e.type = 'message' 
  AND json_array_length(e.content, '$.message.parts') > 0
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = s.session_key AND r.seq = e.seq);
  INSERT INTO window_rows (session_key, seq, row_id, entry_key)
  SELECT s.session_key, e.seq, iif(EXISTS (
  SELECT 1 FROM messages m WHERE m.id = e.id AND m.conversation_id <> s.id
), lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
  || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), e.id), e.entry_key
  FROM sessions s CROSS JOIN (
  SELECT NEW.session_key AS key, 9007199254740991 AS through_seq
  UNION ALL SELECT l.value ->> 0, l.value ->> 1
  FROM sessions f CROSS JOIN json_each(f.lineage) l WHERE f.session_key = NEW.session_key
) g CROSS JOIN json_each(NEW.kept) k CROSS JOIN entries e ON e.seq = k.value
    AND e.tenant = NEW.tenant AND e.session_key = g.key AND e.seq <= g.through_seq
  WHERE s.session_key = NEW.session_key AND e.type = 'message' AND e.seq <= NEW.floor_seq
  AND json_array_length(e.content, '$.message.parts') > 0
  AND NOT EXISTS (SELECT 1 FROM window_rows r WHERE r.session_key = s.session_key AND r.seq = e.seq);
INSERT INTO messages (id, conversation_id, role, content, sources, created_at, message_type)
  SELECT r.row_id, s.id, e.content ->> '$.message.role', coalesce((
  SELECT group_concat(coalesce(nullif(p.value ->> 'text', ''), (
  SELECT group_concat(CAST(c.data AS TEXT), '') FROM json_each(e.content, '$.blobs') b
  CROSS JOIN blob_chunks c ON c.tenant = e.tenant AND c.hash = b.value ->> 'sha256'
  WHERE b.value ->> 'as' = 'text' AND b.value ->> 'part' = p.key
), ''), char(10))
  FROM json_each(e.content, '$.message.parts') p WHERE p.value ->> 'type' = 'text'
), ''),
  nullif((
  SELECT json_group_array(json(p.value)) FROM json_each(e.content, '$.message.parts') p
  WHERE p.value ->> 'type' = 'source'
), '[]'), CAST(e.at / 1000 AS INTEGER), 'message' FROM sessions s
  CROSS JOIN window_rows r ON r.session_key = s.session_key AND r.seq > 0
  CROSS JOIN entries e ON e.entry_key = r.entry_key
  WHERE s.session_key = NEW.session_key AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.row_id) ORDER BY r.seq;
END;

CREATE TRIGGER window_session BEFORE DELETE ON sessions WHEN OLD.tenant = 'local'
BEGIN
DELETE FROM messages WHERE conversation_id = OLD.id;
DELETE FROM window_rows WHERE session_key = OLD.session_key;
END;

UPDATE heads SET head = head WHERE tenant = 'local';

INSERT INTO window_migrations (version, name, hash) VALUES (1, 'rows of the window', '9f222acd7f16c2c606afeca5944a5dab0995b8e32c3e9f39c0739f4b4e66bb0a');

CREATE TRIGGER window_hidden_session AFTER UPDATE OF id ON sessions WHEN OLD.tenant = 'local'
BEGIN
DELETE FROM messages WHERE conversation_id = OLD.id;
DELETE FROM window_rows WHERE session_key = OLD.session_key;
END;

INSERT INTO window_migrations (version, name, hash) VALUES (2, 'rows go when their session is hidden', 'f0e2d404fbb0b93c56c636bd9520651c852d58a218d604a179d5d3c956351374');
