/**
 * Finds violations of the order of one resource in a journal of workers. Its lines are `begin`, `end` or `fail` with a
 * process and an event, or `kill` with a process. An event may begin when no other event of its resource runs and all
 * earlier ones have ended. It may begin again if its run failed, or if its process died before the commit.
 */
export function findDisorder(journal: string, accepted: readonly string[]): string[] {
  const complaints: string[] = []
  let underWay: { readonly pid: string; readonly id: string } | undefined
  let last = -1
  let hasEnded = true
  for (const line of journal.split('\n')) {
    const [what, pid = '', id = ''] = line.split(' ')
    if (what === 'kill' && underWay?.pid === pid) {
      underWay = undefined
    }
    const place = accepted.indexOf(id)
    if (place < 0) {
      continue
    }
    if (what === 'begin') {
      if (underWay) {
        complaints.push(`${id} began while ${underWay.id} was under way`)
      }
      if (place !== last && !(hasEnded && place === last + 1)) {
        complaints.push(`${id} began out of turn`)
      }
      underWay = { pid, id }
      last = place
      hasEnded = false
    } else {
      if (underWay?.id === id && underWay.pid === pid) {
        underWay = undefined
      }
      if (what === 'end' && place === last) {
        hasEnded = true
      }
    }
  }
  if (!hasEnded || last !== accepted.length - 1) {
    complaints.push('not all have ended')
  }
  return complaints
}
