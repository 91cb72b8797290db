/** Calls this once, when the page shows the view of the next address. */
export function afterHashChange(call: () => void): void {
  addEventListener('hashchange', () => requestAnimationFrame(call), { once: true })
}
