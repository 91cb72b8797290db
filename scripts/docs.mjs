/**
 * Builds the site of the documentation: an API reference from the docstrings with TypeDoc, then every page with VitePress.
 * The result is docs/.vitepress/dist.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = (program, ...args) =>
  execFileSync(process.execPath, [`${root}node_modules/${program}`, ...args], { cwd: root, stdio: 'inherit' })

rmSync(`${root}docs/api`, { recursive: true, force: true })
run(
  'typedoc/bin/typedoc',
  ...[
    '--plugin',
    'typedoc-plugin-markdown',
    '--out',
    'docs/api',
    '--readme',
    'none',
    '--tsconfig',
    'tsconfig.build.json',
  ],
  ...[
    '--entryPoints',
    'src/index.ts',
    'src/testing/index.ts',
    'src/stores/*.ts',
    'src/queues/*.ts',
    'src/telemetries/*.ts',
    'adapters/*.ts',
  ],
  ...['--excludeInternal', '--hideBreadcrumbs', '--disableSources', '--logLevel', 'Warn'],
  // Types that only help others, such as `Merge`, are not exported. TypeDoc would warn about each.
  ...['--validation.notExported', 'false', '--treatWarningsAsErrors'],
)
run('vitepress/bin/vitepress.js', 'build', 'docs')
