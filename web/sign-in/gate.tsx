/** The page, or where the server asks for a token and has none yet, the way to give one. */
import { useSyncExternalStore } from "react";
import { followDoor, readDoor } from "../api/token.ts";
import { App } from "../app.tsx";
import { SignIn } from "./sign-in.tsx";

export function Gate() {
  const door = useSyncExternalStore(followDoor, readDoor);
  return door === "open" ? <App /> : <SignIn isRefused={door === "refused"} />;
}
