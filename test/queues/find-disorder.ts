/**
 * What a journal of workers says against the order of one resource: its lines are `begin`, `end` or `fail` with a process
 * and an event, and `kill` with a process. An event may begin where nothing of its resource is under way, and everything
 * accepted before it has ended; or again, if its last run failed, or its end was not committed before its process died.
 */
export function findDisorder(journal: string, accepted: readonly string[]): string[] {
  const complaints: string[] = []
  let underWay: { readonly pid: string; readonly id: string } | undefined
  let last = -1
  let hasEnded = true
  for (const line of journal.split('\n')) {
    const [what, pid = '', id = ''] = line.split(' ')
    if (what === 'kill' && underWay?.pid === pid) underWay = undefined
    const place = accepted.indexOf(id)
    if (place < 0) continue
    if (what === 'begin') {
      if (underWay) complaints.push(`${id} began while ${underWay.id} was under way`)
      if (place !== last && !(hasEnded && place === last + 1)) complaints.push(`${id} began out of turn`)
      underWay = { pid, id }
      last = place
      hasEnded = false
    } else {
      if (underWay?.id === id && underWay.pid === pid) underWay = undefined
      if (what === 'end' && place === last) hasEnded = true
    }
  }
  if (!hasEnded || last !== accepted.length - 1) complaints.push('not all have ended')
  return complaints
}
