/** Resolves to `undefined` if the store lacks the part that `call` needs. */
export async function ifSupported<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await call()
  } catch (error) {
    if ((error as { code?: unknown }).code === 'invalid_store') {
      return undefined
    }
    throw error
  }
}
