import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A log file that never grows beyond its limit: when full it becomes `NAME.1`, in place of the one
 * before, and a new one begins. Writes are synchronous, since the last lines before a crash matter most.
 */
export class CappedLog {
  #fd: number;

  private constructor(
    private readonly file: string,
    private readonly maxBytes: number,
    private size: number,
  ) {
    this.#fd = openSync(file, 'a', 0o600);
  }

  static async open(file: string, maxBytes: number): Promise<CappedLog> {
    await mkdir(dirname(file), { recursive: true });
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    return new CappedLog(file, maxBytes, size);
  }

  write(chunk: Buffer): void {
    if (this.#fd < 0) return;
    if (this.size > 0 && this.size + chunk.length > this.maxBytes) {
      closeSync(this.#fd);
      renameSync(this.file, `${this.file}.1`);
      this.#fd = openSync(this.file, 'a', 0o600);
      this.size = 0;
    }
    writeSync(this.#fd, chunk);
    this.size += chunk.length;
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }
}
