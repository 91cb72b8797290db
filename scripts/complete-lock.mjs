/**
 * Adds the builds for other platforms to package-lock.json. A registry mirror may not have them, and then npm leaves
 * these optional packages out of the lock. Later `npm ci` rejects that lock on every machine. The lock already contains
 * all that is needed: the depending package names each build with its version, and the name tells the platform. Run this
 * after `npm install`. npm keeps the added entries.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]

let added = 0
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (isLocked(path, name)) {
      continue
    }
    const { os, cpu, libc } = platformOf(name)
    if (!os || !cpu || !/^\d+\.\d+\.\d+/.test(version)) {
      throw new Error(
        `${path} wants ${name}@${version}, which is not in the lock and is not one platform’s build`,
      )
    }
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(dev && { dev }),
      ...(libc && { libc: [libc] }),
      optional: true,
      os: [os],
    }
    added++
  }
}
const { '': root, ...rest } = lock.packages
lock.packages = {
  '': root,
  ...Object.fromEntries(Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, 'en'))),
}
if (added > 0) {
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}
console.log(`${added} packages of other platforms added to package-lock.json`)

/** Searches as Node does: beside the package, then in every folder above. */
function isLocked(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${folder}${folder && '/'}node_modules/${name}`]) {
      return true
    }
    if (folder === '') {
      return false
    }
  }
}

/** `@next/swc-linux-x64-musl` -> linux, x64, musl. */
function platformOf(name) {
  const words = name.split(/[/-]/)
  const tail = words.at(-1) ?? ''
  return {
    os: words.find((word) => systems.includes(word)),
    cpu: words.find((word) => processors.includes(word)),
    libc: tail.startsWith('musl') ? 'musl' : tail.startsWith('gnu') ? 'glibc' : undefined,
  }
}
