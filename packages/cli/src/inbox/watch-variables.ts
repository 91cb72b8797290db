/** Records the unset environment variables that the user’s program reads, until `end` is called. */
export function watchVariables(): { unset(): readonly string[]; end(): void } {
  const { env } = process
  const unset = new Set<string>()
  process.env = new Proxy(env, {
    get(target, name) {
      if (typeof name === 'string' && !target[name] && isReadByProgram()) {
        unset.add(name)
      }
      return target[name as string]
    },
  })
  return {
    unset: () => [...unset],
    end() {
      process.env = env
    },
  }
}

/** Ignores what Node and libraries read: most of their variables are rarely set. */
function isReadByProgram(): boolean {
  // The first three lines are the message, this function and the getter.
  const [reader] = (new Error().stack ?? '').split('\n').slice(3)
  return reader !== undefined && !/node_modules|\(?node:|\(native\)/.test(reader)
}
