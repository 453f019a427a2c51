// Everything in the vault as plain files: into a folder where the browser can write to one, else as one zip
// file. What comes out is not encrypted, and that is said before it begins.

import { useRef, useState } from "preact/hooks";
import { Banner, Button, Card, Progress, useStatus } from "../components/mod.ts";
import { leftOut } from "../files/downloads.ts";
import { countText, sizeText } from "../text/format.ts";
import { canWriteFiles, pickFile, pickFolder } from "../text/pickers.ts";
import { saveBlob } from "../text/save_blob.ts";
import type { Exported, ExportProgress, TreeDestination } from "../vault/calls.ts";
import { useVault } from "../vault/context.tsx";

/** `ShieldFive export 2026-01-31 14.05`: a new one for every export. */
function exportName(now = new Date()): string {
  const [day, time] = now.toISOString().split("T");
  return `ShieldFive export ${day} ${time.slice(0, 5).replace(":", ".")}`;
}

/** Where an export can go. */
type Way = "folder" | "zip-file" | "zip-blob";

async function destinationOf(way: Way, name: string): Promise<TreeDestination | undefined> {
  if (way === "zip-blob") return { kind: "blob" };
  if (way === "folder") {
    const handle = await pickFolder();
    return handle && { kind: "folder", handle, name };
  }
  const handle = await pickFile(`${name}.zip`);
  return handle && { kind: "file", handle };
}

/** The card. */
export function ExportCard() {
  const { client, tree } = useVault();
  const status = useStatus();
  const [progress, setProgress] = useState<ExportProgress>();
  const [left, setLeft] = useState<Exported["failed"]>([]);
  const stop = useRef<AbortController>(undefined);

  const begin = async (way: Way) => {
    const name = exportName();
    const to = await destinationOf(way, name);
    if (to === undefined) return;
    stop.current = new AbortController();
    setLeft([]);
    setProgress({ files: 0, bytes: 0, totalFiles: 0, totalBytes: 0 });
    try {
      const { blob, files, bytes, failed } = await client.call("exportAll", [to], {
        signal: stop.current.signal,
        onProgress: (now) => setProgress(now as ExportProgress),
      });
      if (blob !== undefined) saveBlob(blob, `${name}.zip`);
      setLeft(failed);
      const what = `${countText(files, "file")} with ${sizeText(bytes)}`;
      status.notify({ kind: "done", text: `Exported ${what}.` });
    } catch (error) {
      const stopped = stop.current.signal.aborted;
      status.notify(
        stopped
          ? { kind: "note", text: "The export was stopped." }
          : { kind: "failed", text: (error as Error).message },
      );
    } finally {
      setProgress(undefined);
    }
  };
  const attempt = (way: Way) => () =>
    begin(way).catch((error: Error) => status.notify({ kind: "failed", text: error.message }));

  return (
    <Card title="Export everything">
      <p>
        All files outside the Bin, decrypted, with their names and folders. {canWriteFiles()
          ? "They are written straight to your disk, one after the other."
          : "This browser gathers them in one zip file, which needs as much free space as the files have."}
      </p>
      <Banner kind="warning">
        What is exported is not encrypted: whoever can read your disk can read it.
      </Banner>
      {left.length > 0 && <Banner kind="danger">{leftOut(left)}</Banner>}
      {progress
        ? (
          <>
            <Progress
              label="Exporting…"
              done={progress.bytes}
              total={progress.totalBytes}
              detail={`${progress.files} of ${countText(progress.totalFiles, "file")}`}
            />
            <div class="row">
              <Button onClick={() => stop.current?.abort()}>Stop</Button>
            </div>
          </>
        )
        : (
          <div class="row">
            {canWriteFiles()
              ? (
                <>
                  <Button
                    variant="primary"
                    icon="folder"
                    disabled={!tree}
                    onClick={attempt("folder")}
                  >
                    Export to a folder…
                  </Button>
                  <Button icon="download" disabled={!tree} onClick={attempt("zip-file")}>
                    Export as a zip file…
                  </Button>
                </>
              )
              : (
                <Button
                  variant="primary"
                  icon="download"
                  disabled={!tree}
                  onClick={attempt("zip-blob")}
                >
                  Export as a zip file
                </Button>
              )}
          </div>
        )}
    </Card>
  );
}
