/**
 * Handles what a user's function rejects with later, where nobody waits for what it returned. Node ends a process for a
 * rejection that nobody handles.
 */
export function catchLater(returned: unknown, handle: (error: unknown) => void = () => {}): void {
  if (typeof returned === 'object' && returned !== null) Promise.resolve(returned).catch(handle)
}
