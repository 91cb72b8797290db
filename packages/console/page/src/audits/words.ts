import type { AuditAction } from 'webhook-inbox'

/** What can be looked for. The type says when one is missing. */
const known: Readonly<Record<AuditAction, true>> = {
  replay: true,
  replayEdited: true,
  retryNow: true,
  giveUp: true,
  discard: true,
  undo: true,
  verifyAgain: true,
  startRun: true,
  pauseRun: true,
  resumeRun: true,
  cancelRun: true,
  acknowledgeGroup: true,
  resolveGroup: true,
  reopenGroup: true,
  pause: true,
  resume: true,
}

export const auditActions = Object.keys(known)

/** `acknowledgeGroup` as words: those of the page, which calls a group a cause and a run an operation. */
export const wordsOf = (action: string) =>
  action
    .replace('Group', 'Cause')
    .replace('Run', 'Operation')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
