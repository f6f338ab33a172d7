/** The sign-out button below the conversations, and its action in the command palette. */
import { hasToken, signOut } from "../api/token.ts";
import { useActions } from "../hooks/use-actions.ts";

export function SignOut() {
  const isSignedIn = hasToken();
  useActions("sign-out", isSignedIn ? [{ name: "Sign out", run: signOut }] : []);
  if (!isSignedIn) return null;
  return (
    <button type="button" className="quiet sign-out" onClick={signOut}>
      Sign out
    </button>
  );
}
