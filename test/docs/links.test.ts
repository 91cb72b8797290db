import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Document, documents, root, runnable } from './documents.js'

/** Links within the repository: the target file and the anchor. Either may be empty. */
function linksOf({ text }: Document): { file: string; anchor: string }[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] as string)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#')
      return { file, anchor }
    })
}

/** The anchors of a document: those of its headings, as code forges and npm make them, and those set by hand. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => slug(match[1] as string))
  const byHand = [...text.matchAll(/<a id="([^"]+)">/g)].map((match) => match[1] as string)
  const ofSite = [...text.matchAll(/\{#([\w-]+)\}/g)].map((match) => match[1] as string)
  return new Set([...headings, ...byHand, ...ofSite])
}

const slug = (heading: string) =>
  heading
    .replaceAll(/`|\*|\{#[\w-]+\}/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

test.each(documents.map((document) => [document.path, document] as const))(
  '%s links only to what is there',
  (path, document) => {
    const broken = linksOf(document).filter(({ file, anchor }) => {
      const target = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(join(root, target))) {
        return true
      }
      if (anchor === '' || !target.endsWith('.md')) {
        return false
      }
      return !anchorsOf(readFileSync(join(root, target), 'utf8')).has(anchor)
    })
    expect(broken).toEqual([])
  },
)

test('every document that ships links only to files that ship', async () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--workspaces=false']
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: root })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const shipped = new Set(files.map(({ path }) => path))
  const folders = new Set([...shipped].map((path) => dirname(path)))
  const read = documents.filter(({ path }) => shipped.has(path))
  expect(read.length).toBeGreaterThan(20)
  const broken = read.flatMap((document) =>
    linksOf(document)
      .filter(({ file }) => file !== '')
      .map(({ file }) => normalize(join(dirname(document.path), file)).replace(/\/$/, ''))
      .filter((target) => !shipped.has(target) && !folders.has(target))
      .map((target) => `${document.path} links to ${target}`),
  )
  expect(broken).toEqual([])
})

test.each(['cli', 'client', 'console', 'diagnose', 'sandbox'])(
  'the README of the packed %s links only to files of its package',
  async (name) => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '-w', `packages/${name}`]
    const { stdout } = await promisify(execFile)('npm', pack, { cwd: root })
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
    const shipped = new Set(files.map(({ path }) => path))
    expect(shipped).toContain('README.md')
    const readme = documents.find(({ path }) => path === `packages/${name}/README.md`) as Document
    const linked = linksOf(readme).flatMap(({ file }) => (file === '' ? [] : [normalize(file)]))
    expect(linked.filter((file) => !shipped.has(file))).toEqual([])
  },
)

test('the command that packs all packages names each one that is published', () => {
  const read = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const { name, workspaces } = read('.') as { name: string; workspaces: string[] }
  const published = workspaces.filter((folder) => !read(folder).private)
  const command = runnable('docs/getting-started.md', 'pack')
  const packed = [...command.matchAll(/ -w (\S+)/g)].map(([, folder]) => (folder === name ? '.' : folder))
  expect(packed.toSorted()).toEqual(published.toSorted())
})

test('every page of docs is in the sidebar of the site', () => {
  const sidebar = readFileSync(join(root, 'docs/.vitepress/config.mts'), 'utf8')
  const pages = documents.map(({ path }) => path).filter((path) => path.startsWith('docs/'))
  const links = pages.map((path) => path.replace(/^docs/, '').replace(/\.md$/, ''))
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((link) => link !== '/README' && !sidebar.includes(`'${link}'`))).toEqual([])
})
