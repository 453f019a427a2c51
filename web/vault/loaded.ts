// Something that a view asks the vault for when it comes up, and again when it is told to.

import { useEffect, useRef, useState } from "preact/hooks";

/** What was asked for: nothing yet, the value, or why it could not be had. */
export interface Loaded<Value> {
  value: Value | undefined;
  /** The last attempt failed; a value from before is still there. */
  failure: Error | undefined;
  loading: boolean;
  /** Asks again; settles when the answer is there, and never throws. */
  reload(): Promise<void>;
  /** Puts another value in its place, such as after a change whose outcome is known. */
  replace(value: Value): void;
}

/** Loads a value once, and whenever `reload` is called; the newest answer counts. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [failure, setFailure] = useState<Error>();
  const [loading, setLoading] = useState(true);
  const newest = useRef(0);
  const reload = async () => {
    const mine = ++newest.current;
    setLoading(true);
    setFailure(undefined);
    try {
      const answer = await load();
      if (mine === newest.current) setValue(() => answer);
    } catch (error) {
      if (mine === newest.current) setFailure(error as Error);
    } finally {
      if (mine === newest.current) setLoading(false);
    }
  };
  useEffect(() => {
    reload();
    return () => {
      newest.current = -1; // nobody waits for the answer any more
    };
  }, []);
  return { value, failure, loading, reload, replace: (next) => setValue(() => next) };
}
