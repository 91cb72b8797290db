const words = { connecting: 'Connecting', live: 'Live', lost: 'Reconnecting' }

export type ConnectionState = keyof typeof words

/** Whether the page is current. `lost` is what to say on hover while it is not. */
export function Connection({ state, lost }: { readonly state: ConnectionState; readonly lost: string }) {
  return (
    <span class="connection" data-state={state} role="status" title={state === 'lost' ? lost : undefined}>
      {words[state]}
    </span>
  )
}
