/** Starts the page: the app, or the sign-in form if the server needs a token. */
import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { readAccess, subscribeToAccess } from "./api/token.ts";
import { App } from "./app.tsx";
import { SignIn } from "./sign-in/sign-in.tsx";

const element = document.getElementById("page");
if (element === null) throw new TypeError("index.html has no #page");
createRoot(element).render(
  <StrictMode>
    <Gate />
  </StrictMode>,
);

function Gate() {
  const access = useSyncExternalStore(subscribeToAccess, readAccess);
  return access === "open" ? <App /> : <SignIn isRejected={access === "rejected"} />;
}
