import { navCounts } from "../place/nav-counts.js";
import { place } from "../place/place.js";
import { logOut, mayAs, session } from "../session/session.js";
import { switchZone, zoneName } from "../time/zone.js";
import { Icon } from "../ui/icon.js";
import { Health } from "./health-list.js";
import { overlay } from "./overlays.js";
import { isAt, pagesFor, type PageEntry } from "./pages.js";
import { switchTheme, theme, themeIcons } from "./theme.js";

const inBar = 4;

const allowedPages = (): readonly PageEntry[] => pagesFor({ may: mayAs, cluster: session.value?.cluster ?? false });

/** The side bar: pages by name, or by icon where there is less room. */
export function SideBar() {
  return (
    <aside class="side">
      <a class="brand" href="#/" title="Tickwheel">
        <Icon name="brand" />
        <span>Tickwheel</span>
      </a>
      <p class="env" title="The node that this page talks to, and the key's namespace">
        <span class="sq" />
        <span>
          <b>{location.host}</b> <span class="muted">{session.value?.namespace}</span>
        </span>
      </p>
      <nav class="nav" aria-label="Pages">
        {allowedPages().map((entry) => (
          <PageLink key={entry.page} entry={entry} />
        ))}
      </nav>
      <Health />
    </aside>
  );
}

function PageLink({ entry }: { entry: PageEntry }) {
  const count = navCounts.value[entry.page];
  return (
    <a href={entry.href} aria-current={isAt(entry, place.value) ? "page" : undefined} title={`g ${entry.key}`}>
      <Icon name={entry.icon} />
      <span>{entry.name}</span>
      {count && (
        <>
          <span class={`n tint is-${count.state}`} aria-hidden="true">
            {count.text}
          </span>
          <span class="sr">, {count.label}</span>
        </>
      )}
    </a>
  );
}

/** The bar at the bottom of a phone: the first pages, and the rest behind "More". */
export function BottomBar() {
  const allowed = allowedPages();
  return (
    <nav class="tabbar" aria-label="Pages">
      {allowed.slice(0, inBar).map((entry) => (
        <a key={entry.page} href={entry.href} aria-current={isAt(entry, place.value) ? "page" : undefined}>
          <Icon name={entry.icon} />
          {entry.name}
          {navCounts.value[entry.page] && <span class={`dot is-${navCounts.value[entry.page]?.state}`} />}
        </a>
      ))}
      <button type="button" popovertarget="more">
        <Icon name="more" />
        More
      </button>
      <MoreMenu rest={allowed.slice(inBar)} />
    </nav>
  );
}

function MoreMenu({ rest }: { rest: readonly PageEntry[] }) {
  const close = (): void => document.getElementById("more")?.hidePopover();
  const item = (icon: string, text: string, run: () => void) => (
    <button
      type="button"
      onClick={() => {
        close();
        run();
      }}
    >
      <Icon name={icon} />
      {text}
    </button>
  );
  return (
    <div id="more" popover="auto" class="menu from-below">
      <p class="muted small">{whoText()}</p>
      {rest.map((entry) => (
        <a key={entry.page} href={entry.href} onClick={close}>
          <Icon name={entry.icon} />
          {entry.name}
        </a>
      ))}
      {item("globe", `Times: ${zoneName()}`, switchZone)}
      {item(themeIcons[theme.value], `Theme: ${theme.value}`, switchTheme)}
      {item("notice", "All keys", () => (overlay.value = "keys"))}
      {session.value?.user == null && item("lock", "Log out", () => void logOut())}
    </div>
  );
}

/** Who is logged in, in one line. */
export function whoText(): string {
  const who = session.value;
  if (!who) return "";
  return `${who.user ?? `Key ${who.keyId}`}, ${who.role}, namespace ${who.namespace}`;
}
