// Which view is shown is what the address says: `/files` and a query, such as `?folder=<id>` or
// `?settings=agents`. An address holds ids and never names, and stays while the vault is locked, so that
// who unlocks it is where they were.

import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";

/** Where the page is, and how to get elsewhere. */
export interface Router {
  /** The query of the address. */
  readonly query: URLSearchParams;
  /** Goes to another view; `query` without its question mark, empty for the top of the files. */
  go(query: string): void;
  /** The same, without a step to come back to. */
  replace(query: string): void;
}

/** The path of the application; the server gives the same page at `/`. */
const PATH = "/files";

/** The address of a view. */
export function addressOf(query: string): string {
  return query === "" ? PATH : `${PATH}?${query}`;
}

const RouterContext = createContext<Router | undefined>(undefined);

/** Where the page is. */
export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (router === undefined) throw new Error("there is no RouterProvider around this");
  return router;
}

/** Follows the address, and the browser's way back and forth. */
export function RouterProvider({ children }: { children: ComponentChildren }) {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const follow = () => setSearch(location.search);
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const router = useMemo((): Router => {
    const to = (query: string, change: "pushState" | "replaceState") => {
      history[change](null, "", addressOf(query));
      setSearch(location.search);
    };
    return {
      query: new URLSearchParams(search),
      go: (query) => to(query, "pushState"),
      replace: (query) => to(query, "replaceState"),
    };
  }, [search]);
  return <RouterContext.Provider value={router}>{children}</RouterContext.Provider>;
}

export interface LinkProps {
  /** The query of the view. */
  to: string;
  class?: string;
  /** The link leads to where one is. */
  current?: boolean;
  onFollow?(): void;
  /** What the link stands for, as its `data-id`. */
  item?: string;
  children: ComponentChildren;
}

/** Whether a click asks for a tab or window of its own. */
function opensElsewhere(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

/** A link to a view: a real one, so that it can be opened elsewhere; the vault is locked there. */
export function Link(
  { to, class: className, current = false, onFollow, item, children }: LinkProps,
) {
  const router = useRouter();
  return (
    <a
      href={addressOf(to)}
      class={className}
      data-id={item}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (opensElsewhere(event)) return;
        event.preventDefault();
        router.go(to);
        onFollow?.();
      }}
    >
      {children}
    </a>
  );
}
