// Sends the answer to the program that waits: a form of the page's own, posted to the loopback address of
// this computer. A form and not a request, since a browser lets a form post there without the program
// having to allow anything. It goes into a tab of its own, so that this one, and the connection string in it,
// stays when nobody listens; the string is in the body and in no address.

/** What the program is told (vault spec, 9). */
export type HandoffAnswer =
  | { state: string; connection_string: string }
  | { state: string; error: "denied" };

/** Posts the answer. A browser lets a page open a tab only right after a click; see `mayOpenTab`. */
export function deliver(port: number, answer: HandoffAnswer): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = `http://127.0.0.1:${port}/callback`;
  form.target = "_blank";
  form.rel = "noopener";
  form.hidden = true;
  for (const [name, value] of Object.entries(answer)) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

/** Whether the browser still takes what the page does for something that the person clicked. */
export function mayOpenTab(): boolean {
  return navigator.userActivation?.isActive ?? false;
}
