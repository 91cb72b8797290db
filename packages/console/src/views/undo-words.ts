const units = [
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Until when a discard can be undone, and what the sender knows of the delivery. */
export function undoWords({ undoSeconds }: { readonly undoSeconds: number }): string {
  const [size, unit] = units.find(([each]) => undoSeconds % each === 0) ?? [1, 'second']
  const count = undoSeconds / size
  const undo =
    undoSeconds > 0
      ? `You can undo this for ${count} ${unit}${count === 1 ? '' : 's'}.`
      : 'You cannot undo this: undoSeconds is 0.'
  return `${undo} The sender got its 200, so it does not send it again by itself.`
}
