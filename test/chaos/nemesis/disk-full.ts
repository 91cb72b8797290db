import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk that can be filled. */
export interface SmallDisk {
  readonly path: string
  /** Uses every free byte. */
  fill(): void
  makeRoom(): void
  remove(): void
}

/** Mounts a tmpfs. Returns `undefined` if this process may not. */
export function smallDisk(megabytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'webhook-inbox-chaos-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', path], {
      stdio: 'ignore',
    })
  } catch {
    rmdirSync(path)
    return undefined
  }
  const filler = join(path, 'filler')
  const remove = () => {
    execFileSync('umount', ['-l', path], { stdio: 'ignore' })
    rmdirSync(path)
    process.off('exit', remove)
  }
  process.once('exit', remove)
  return {
    path,
    fill() {
      const file = openSync(filler, 'a')
      for (let size = 1 << 16; size >= 1; ) {
        try {
          // A short write also means a full disk.
          if (writeSync(file, Buffer.alloc(size)) < size) {
            size >>= 1
          }
        } catch {
          size >>= 1
        }
      }
      closeSync(file)
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remove,
  }
}
