import type { ComponentChild } from 'preact'
import { signal } from 'webhook-inbox-ui/signals'

/**
 * The dialog that is open. It does not belong to the view that opened it, because that view may disappear: another operator may
 * discard the event. What a person writes must stay, and the next keys must not go to the page.
 */
const opened = signal<ComponentChild>(undefined)

export const openDialog = (dialog: ComponentChild): void => {
  opened.value = dialog
}

export const closeDialog = (): void => {
  opened.value = undefined
}

export const OpenDialog = () => <>{opened.value}</>
