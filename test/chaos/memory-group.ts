import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'

/** The two versions of cgroups: where a group is made, and the file that takes its limit. */
const versions = [
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
] as const

const version = versions.find(({ folder }) => existsSync(`${folder}/cgroup.procs`))

/** Why this machine cannot limit the memory of a process. */
export function noMemoryGroups(): string | undefined {
  try {
    createGroup('webhook-inbox-trial', 100_000_000).remove()
    return undefined
  } catch (error) {
    return `this machine does not let it make a cgroup with a memory limit (${(error as Error).message})`
  }
}

/** Limits the memory of a process. The kernel kills it with SIGKILL when it needs more. Call the result when it has ended. */
export function limitMemory(pid: number, bytes: number): () => void {
  const group = createGroup(`webhook-inbox-${pid}`, bytes)
  writeFileSync(`${group.folder}/cgroup.procs`, String(pid))
  return group.remove
}

function createGroup(name: string, bytes: number) {
  if (!version) {
    throw new Error('there is no /sys/fs/cgroup')
  }
  const folder = `${version.folder}/${name}`
  mkdirSync(folder)
  const remove = () => rmdirSync(folder)
  try {
    writeFileSync(`${folder}/${version.limit}`, String(bytes), { flag: 'r+' })
  } catch (error) {
    remove()
    throw error
  }
  return { folder, remove }
}
