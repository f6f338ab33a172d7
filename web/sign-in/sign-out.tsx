/** The way out, below the conversations and by name, where somebody has signed in. */
import { hasToken, signOut } from "../api/token.ts";
import { useActions } from "../hooks/use-actions.ts";

export function SignOut() {
  const isIn = hasToken();
  useActions("sign-out", isIn ? [{ name: "Sign out", run: signOut }] : []);
  if (!isIn) return null;
  return (
    <button type="button" className="quiet sign-out" onClick={signOut}>
      Sign out
    </button>
  );
}
