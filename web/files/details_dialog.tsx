// What is known of a file, and a look at it: images and texts are shown, everything else only described. What
// is shown is opened in this page and nowhere else.

import { useEffect, useState } from "preact/hooks";
import type { File } from "../../vault/owner/mod.ts";
import { visible } from "../../containment/text.ts";
import { Button, Dialog, Facts, Name } from "../components/mod.ts";
import { countText, sizeText, timeText } from "../text/format.ts";
import type { VaultClient } from "../vault/client.ts";
import { useVault } from "../vault/context.tsx";
import { imageTypeOf, isTextName } from "./kinds.ts";

const MAX_IMAGE_BYTES = 32 * 1024 * 1024;
const MAX_TEXT_BYTES = 512 * 1024;

export interface DetailsDialogProps {
  file: File;
  client: Pick<VaultClient, "call">;
  onClose(): void;
  onDownload(): void;
}

/** What can be shown of a file. */
type Preview = { image: string } | { text: string } | { fault: string } | "loading" | undefined;

/** How a file can be shown; undefined when it cannot. */
function wayToShow({ name, size, readable }: File): "image" | "text" | undefined {
  if (!readable) return undefined;
  if (imageTypeOf(name) !== undefined && size <= MAX_IMAGE_BYTES) return "image";
  if (isTextName(name) && size <= MAX_TEXT_BYTES) return "text";
}

function usePreview(file: File, client: Pick<VaultClient, "call">): Preview {
  const way = wayToShow(file);
  const [preview, setPreview] = useState<Preview>(way && "loading");
  useEffect(() => {
    if (way === undefined) return;
    const stop = new AbortController();
    let url: string | undefined;
    const load = async () => {
      const { signal } = stop;
      const blob = await client.call("download", [file.id, { kind: "blob" }], { signal });
      if (way === "text") return setPreview({ text: await blob!.text() });
      // The type is ours and not the uploader's: nothing but an image is made of it.
      url = URL.createObjectURL(blob!.slice(0, blob!.size, imageTypeOf(file.name)));
      setPreview({ image: url });
    };
    load().catch((error: Error) => {
      if (!stop.signal.aborted) setPreview({ fault: error.message });
    });
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [file.id]);
  return preview;
}

function Shown({ preview, name }: { preview: Preview; name: string | null }) {
  if (preview === undefined) return null;
  if (preview === "loading") {
    return (
      <div class="preview" role="status">
        <span class="spinner large" aria-hidden="true" />
        <span class="unseen">Opening the file…</span>
      </div>
    );
  }
  if ("fault" in preview) return <p class="fault" role="alert">{preview.fault}</p>;
  if ("text" in preview) {
    return <pre class="preview text" tabIndex={0} aria-label="Content">{preview.text}</pre>;
  }
  return (
    <div class="preview">
      <img src={preview.image} alt={visible(name ?? "")} />
    </div>
  );
}

/** A size, with every byte where the unit hides some. */
function exactSize(bytes: number): string {
  const short = sizeText(bytes);
  return bytes < 1000 ? short : `${short} (${countText(bytes, "byte")})`;
}

/** The dialog. */
export function DetailsDialog({ file, client, onClose, onDownload }: DetailsDialogProps) {
  const { tree } = useVault();
  const preview = usePreview(file, client);
  const path = tree!.path(file);
  return (
    <Dialog
      wide
      title={<Name name={file.name} />}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" icon="download" disabled={!file.readable} onClick={onDownload}>
            Download
          </Button>
        </>
      }
    >
      <Shown preview={preview} name={file.name} />
      <Facts
        facts={[
          ["Size", exactSize(file.size)],
          ["Changed", timeText(file.updatedAt)],
          ["Added", timeText(file.createdAt)],
          ["Place", <bdi key="place">{path}</bdi>],
        ]}
      />
    </Dialog>
  );
}
