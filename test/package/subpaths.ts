import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from './imports.js'

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }

/** The import specifiers of the package, in the order of package.json. */
export const subpaths = Object.keys(exports)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => posix.join('webhook-inbox', subpath))
