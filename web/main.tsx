/** Starts the page. */
import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { followDoor, readDoor } from "./api/token.ts";
import { App } from "./app.tsx";
import { SignIn } from "./sign-in/sign-in.tsx";

const element = document.getElementById("page");
if (element === null) throw new TypeError("index.html has no #page");
createRoot(element).render(
  <StrictMode>
    <Gate />
  </StrictMode>,
);

export function Gate() {
  const door = useSyncExternalStore(followDoor, readDoor);
  return door === "open" ? <App /> : <SignIn isRefused={door === "refused"} />;
}
