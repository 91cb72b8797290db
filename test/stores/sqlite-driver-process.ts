import { sqliteStore } from '../../src/stores/sqlite.js'

/** Prints why a store on a file cannot be used in a Node without `node:sqlite`. */
Object.assign(process, { getBuiltinModule: undefined })

const refusal = await sqliteStore(process.argv[2] as string)
  .check()
  .catch(({ code, message, cause }) => ({ code, message, cause: cause?.message }))
console.log(JSON.stringify(refusal))
