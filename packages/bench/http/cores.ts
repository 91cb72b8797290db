import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Pins this process, which makes the load, to one core. Returns the command prefix that pins another process to a second
 * core. The prefix is empty, and the reason is printed, where pinning is impossible.
 */
export function splitCores(): readonly string[] {
  try {
    const [own, ...others] = allowedCores()
    const its = others.at(-1)
    if (its === undefined) {
      throw new Error('there is one core only')
    }
    execFileSync('taskset', ['-acp', String(own), String(process.pid)])
    console.log(`load on core ${own}, server on core ${its}\n`)
    return ['taskset', '-c', String(its)]
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    console.log(`load and server share the cores (${reason}): trust the CPU time more than the rate\n`)
    return []
  }
}

/** Parses the cores that this process may use from a list such as `0-2,5`. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8')
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}
