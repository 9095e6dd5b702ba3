import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { hasEnded } from "../session/session.js";
import { LogInDialog } from "../session/log-in.js";
import { startTicking } from "../time/ticking.js";
import { ToastRegion } from "../ui/toast.js";
import { Header } from "./header.js";
import { KeyHelp } from "./key-help.js";
import { BottomBar, SideBar } from "./navigation.js";
import { Notices } from "./notices.js";
import { overlay } from "./overlays.js";
import { Palette } from "./palette.js";
import { useKeys } from "./use-keys.js";

/** The frame around every page. */
export function Shell({ children }: { children: ComponentChildren }) {
  useKeys();
  useEffect(startTicking, []);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the page
      </a>
      <div class="app">
        <SideBar />
        <div>
          <Header />
          <main id="main" tabIndex={-1}>
            <Notices />
            {children}
          </main>
        </div>
      </div>
      <BottomBar />
      <ToastRegion />
      {overlay.value === "palette" && <Palette />}
      {overlay.value === "keys" && <KeyHelp />}
      {hasEnded.value && <LogInDialog />}
    </>
  );
}

/** The fragment is the route, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
