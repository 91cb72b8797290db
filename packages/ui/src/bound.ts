import type { Signal } from './signals.js'

interface WithValue {
  readonly currentTarget: { readonly value: string }
}

/** The properties that tie a field of a form to a signal. */
export const bound = <Text extends string>(signal: Signal<Text>) => ({
  value: signal.value,
  onInput({ currentTarget }: WithValue) {
    signal.value = currentTarget.value as Text
  },
})
