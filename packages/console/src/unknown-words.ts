/** What to look at after a change, by the first part of its path. */
const places: Readonly<Record<string, string>> = {
  events: 'the event',
  flow: 'the overview',
  groups: 'the cause',
  quarantine: 'the quarantine',
  undo: 'what was discarded',
}

/** What to say where a change may have been made. `path` is below `api/`. */
export function unknownWords(path: string): string {
  const next =
    path === 'quarantine/verify-again'
      ? ': up to 20 may be released and not counted here.'
      : `. Look at ${places[path.split('/')[0] ?? ''] ?? 'the operations'} before you try again.`
  return `It is unknown whether it was changed${next}`
}
