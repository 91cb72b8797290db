import { signal } from '@preact/signals'
import type { ComponentChild } from 'preact'

/**
 * The dialog that is open. It does not belong to the view that opened it: another operator may discard the event while a person
 * writes, and then the text and the next keys must not go elsewhere.
 */
const opened = signal<ComponentChild>(undefined)

export const openDialog = (dialog: ComponentChild): void => {
  opened.value = dialog
}

export const closeDialog = (): void => {
  opened.value = undefined
}

export const OpenDialog = () => <>{opened.value}</>
