// What is around every view while the vault is open: the navigation, the transfers, and the lock.

import { useEffect, useState } from "preact/hooks";
import { Button, Dialog, Icon, IconButton } from "../components/mod.ts";
import { TransferPanel } from "../transfers/panel.tsx";
import { useTransfers } from "../transfers/context.tsx";
import { countText } from "../text/format.ts";
import { useVault } from "../vault/context.tsx";
import type { View } from "../view.ts";
import { VIEWS } from "../views.ts";
import { Brand } from "./brand.tsx";
import { useIdleLock } from "./idle.ts";
import { useLock } from "./lock.tsx";
import { Link, type Router, useRouter } from "./router.tsx";

/** The view that an address asks for: the first where it asks for none. */
export function viewAt({ query }: Pick<Router, "query">): View {
  return VIEWS.find(({ address: [parameter, value] }) => query.get(parameter) === value) ??
    VIEWS[0];
}

function Navigation({ onFollow, onLock }: { onFollow?(): void; onLock(): void }) {
  const router = useRouter();
  const current = viewAt(router);
  return (
    <nav class="nav" aria-label="Views">
      <ul>
        {VIEWS.map((view) => (
          <li key={view.title}>
            <Link
              class="nav-item"
              to={view === VIEWS[0] ? "" : view.address.join("=")}
              current={view === current}
              onFollow={onFollow}
            >
              <Icon name={view.icon} />
              <span>{view.title}</span>
            </Link>
          </li>
        ))}
      </ul>
      <button type="button" class="nav-item" onClick={onLock}>
        <Icon name="lock" />
        <span>Lock the vault</span>
      </button>
    </nav>
  );
}

/** Locks the vault when nobody is there, and says so a minute before. */
function IdleLock() {
  const { lock } = useVault();
  const { running } = useTransfers();
  const left = useIdleLock(running > 0, () => lock("idle"));
  if (left === undefined) return null;
  return (
    <Dialog
      title="Are you still there?"
      onClose={() => {}}
      actions={<Button variant="primary">Stay</Button>}
    >
      <p>The vault locks itself in {countText(left, "second")}.</p>
    </Dialog>
  );
}

/** The views and what is around them. */
export function Layout() {
  const router = useRouter();
  const view = viewAt(router);
  const Shown = view.component;
  const { loading } = useVault();
  const lock = useLock();
  const [menu, setMenu] = useState(false);
  useEffect(() => setMenu(false), [view]);
  return (
    <div class="shell">
      <a class="skip" href="#view">Skip to the content</a>
      <aside class="sidebar">
        <Brand />
        <Navigation onLock={lock.ask} />
      </aside>
      <header class="topbar">
        <IconButton icon="menu" label="Menu" onClick={() => setMenu(true)} />
        <Brand />
        <IconButton icon="lock" label="Lock the vault" onClick={lock.ask} />
      </header>
      {menu && (
        <Dialog title="Menu" drawer onClose={() => setMenu(false)}>
          <Navigation onFollow={() => setMenu(false)} onLock={lock.ask} />
        </Dialog>
      )}
      <main
        class="view"
        id="view"
        key={view.title}
        tabIndex={-1}
        aria-busy={loading !== undefined}
      >
        <Shown />
      </main>
      <TransferPanel />
      {lock.dialog}
      <IdleLock />
    </div>
  );
}
