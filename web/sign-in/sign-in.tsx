/** The sign-in form: one field for the token, and where to get one. */
import { type FormEvent, useRef, useState } from "react";
import { signIn } from "../api/token.ts";
import { Illustration } from "../first-run/illustration.tsx";
import { FatePatterns } from "../strip/fates.tsx";

const REJECTED = "Your token is no longer valid. Enter another one.";

export function SignIn({ isRejected }: { readonly isRejected: boolean }) {
  const [token, setToken] = useState("");
  const [isTrying, setIsTrying] = useState(false);
  const [failure, setFailure] = useState(isRejected ? REJECTED : "");
  const field = useRef<HTMLInputElement>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isTrying) return;
    setIsTrying(true);
    setFailure("");
    const reason = await signIn(token);
    if (reason === undefined) return;
    setIsTrying(false);
    setFailure(reason);
    field.current?.focus();
    field.current?.select();
  };
  return (
    <main className="sign-in">
      <FatePatterns />
      <Illustration />
      <h1>Sign in</h1>
      <p className="introduction">This server requires a token. Sign in to see your conversations.</p>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor="token">Token</label>
        {/* Without a name, the field cannot become part of an address. */}
        <input
          ref={field}
          id="token"
          className="search"
          type="password"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the form has one field.
          autoFocus
          aria-invalid={failure !== ""}
          aria-describedby="token-failure token-hint"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="primary" aria-disabled={isTrying}>
          {isTrying ? "Signing in…" : "Sign in"}
        </button>
        <p className="failed" role="alert" id="token-failure">
          {failure}
        </p>
      </form>
      <p className="aside" id="token-hint">
        The owner of the server creates tokens with <code>palimpsest token add --tenant &lt;name&gt;</code>. Your token
        is stored in this tab until you close the tab or sign out.
      </p>
    </main>
  );
}
