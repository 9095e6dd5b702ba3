import { place } from "../place/place.js";
import { logOut, session } from "../session/session.js";
import { ownZone, switchZone, zoneName } from "../time/zone.js";
import { Icon } from "../ui/icon.js";
import { Instant } from "../time/instant.js";
import { Kbd } from "../ui/kbd.js";
import { crumb } from "../ui/page-head.js";
import { toast } from "../ui/toast.js";
import { sentenceOf } from "../api/problem.js";
import { LiveButton } from "./live-button.js";
import { overlay } from "./overlays.js";
import { pages } from "./pages.js";
import { switchTheme, theme, themeIcons } from "./theme.js";

/** Where the page is, how fresh it is, and the switches that hold for all pages. */
export function Header() {
  return (
    <header class="top">
      <Crumbs />
      <button type="button" class="find" onClick={() => (overlay.value = "palette")}>
        <Icon name="search" />
        <span>Find or do…</span>
        <span class="keys" aria-hidden="true">
          <Kbd keys={[navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl", "K"]} />
        </span>
      </button>
      <LiveButton />
      <button
        type="button"
        class="bare wide"
        title={`Time zone (z): ${ownZone()} or UTC`}
        aria-label={`Times in ${zoneName()}`}
        onClick={switchZone}
      >
        <Icon name="globe" />
        {zoneName()}
      </button>
      <button
        type="button"
        class="bare icon wide"
        aria-label={`Theme: ${theme.value}`}
        title={`Theme: ${theme.value}`}
        onClick={switchTheme}
      >
        <Icon name={themeIcons[theme.value]} />
      </button>
      <UserMenu />
    </header>
  );
}

function Crumbs() {
  const above = pages.find(({ below }) => below?.includes(place.value.page));
  return (
    <nav class="crumbs" aria-label="Where">
      {above && (
        <>
          <a href={above.href}>{above.name}</a>
          <Icon name="chev" />
        </>
      )}
      <b>{crumb.value}</b>
    </nav>
  );
}

function UserMenu() {
  const who = session.value;
  if (!who) return null;
  return (
    <>
      <button type="button" class="bare wide" popovertarget="who" aria-label={`Logged in: ${who.role}`}>
        <Icon name="user" />
        {who.role}
      </button>
      <div id="who" popover="auto" class="menu">
        <dl class="facts">
          <dt>{who.user === null ? "Key" : "User"}</dt>
          <dd class="mono">{who.user ?? who.keyId}</dd>
          <dt>Role</dt>
          <dd>{who.role}</dd>
          <dt>Namespace</dt>
          <dd>{who.namespace}</dd>
          {who.expiresAt !== null && (
            <>
              <dt>Session</dt>
              <dd>
                ends <Instant at={who.expiresAt} />
              </dd>
            </>
          )}
        </dl>
        {who.user === null && (
          <button type="button" onClick={() => void leave()}>
            <Icon name="lock" />
            Log out
          </button>
        )}
      </div>
    </>
  );
}

async function leave(): Promise<void> {
  const problem = await logOut();
  if (problem) toast(`Not logged out: ${sentenceOf(problem)}`);
}
