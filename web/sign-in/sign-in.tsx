/** A token is asked for: one field, where to get what goes into it, and what is wrong with it. */
import { type FormEvent, useRef, useState } from "react";
import { signIn } from "../api/sign-in.ts";
import { FirstPicture } from "../first-run/first-picture.tsx";
import { FatePatterns } from "../strip/fates.tsx";

const REFUSED = "Your token is not taken any more. Give another one.";

export function SignIn({ isRefused }: { readonly isRefused: boolean }) {
  const [token, setToken] = useState("");
  const [isTrying, setIsTrying] = useState(false);
  const [failure, setFailure] = useState(isRefused ? REFUSED : "");
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
      <FirstPicture />
      <h1>Sign in</h1>
      <p className="first-words">This server keeps the conversations of several people apart, and asks who you are.</p>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor="token">Token</label>
        {/* It has no name: no browser can put it into an address. */}
        <input
          ref={field}
          id="token"
          className="search"
          type="password"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: there is nothing else to do here.
          autoFocus
          aria-invalid={failure !== ""}
          aria-describedby="token-failure token-hint"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="primary" aria-disabled={isTrying}>
          {isTrying ? "Looking…" : "Sign in"}
        </button>
        <p className="failed" role="alert" id="token-failure">
          {failure}
        </p>
      </form>
      <p className="aside" id="token-hint">
        Whoever runs the server makes one with <code>palimpsest token add --tenant &lt;name&gt;</code>. It is kept in
        this tab until you close it or sign out.
      </p>
    </main>
  );
}
