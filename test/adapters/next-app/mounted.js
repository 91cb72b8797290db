/** The receiver that a test has mounted under the name in the url: it shares the process with this server. */
export const mounted = (name) => globalThis[Symbol.for('webhook-inbox.test.mounted')].get(name)
